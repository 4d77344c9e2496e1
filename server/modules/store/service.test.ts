import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Tx } from '#server/modules/tx.ts';
import { atOnce, codeOf, coinWorld, keyed, withRights, type CoinWorld } from '#tests/support/coins.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';

let world: CoinWorld;
afterEach(() => world.close());

const lastPurchase = async (): Promise<string> =>
  (await world.db.sql<{ id: string }>('SELECT id FROM store_purchases ORDER BY id DESC'))[0]?.id ?? '';
/** A server of the user that uses memory, as the servers module stores it; only what the limits look at matters. */
async function useMemory(userId: string, memory: number): Promise<void> {
  const category = world.ids.uuid();
  const now = world.clock.now();
  await world.db.sql(
    "INSERT INTO egg_categories (id, name, description, enabled, position, created_ms, updated_ms) VALUES (?, 'C', '', 1, 1, ?, ?)",
    [category, now, now],
  );
  await world.db.sql(
    `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables,
       state, desired, suspend_reason, failure, panel_id, panel_state, panel_seen_ms, address, revision, synced_revision, expires_ms, auto_renew,
       auto_renew_order, periods, created_ms, updated_ms, deleted_ms)
     VALUES (?, ?, 'S', '', 'l', ?, 'e', ?, 256, 5, 1, 0, 0, '{}', 'active', 'running', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, 0, 0, 0, ?, ?, NULL)`,
    [world.ids.uuid(), userId, category, memory, now, now],
  );
}

describe.each([...ENGINES])('store on %s', (engine) => {
  test('buying charges, raises the limit and writes the purchase', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(1000);
    const item = await world.item('memory');
    expect(await world.store.buy(ann, { itemId: item.id, units: 3, price: 150 })).toEqual({
      kind: 'memory',
      limit: 4096,
      balance: 550,
      total: 450,
    });
    expect((await world.limitsOf(ann)).memory).toBe(4096);
    const shop = await world.store.shop(ann);
    expect(shop.balance).toBe(550);
    expect(shop.purchases).toMatchObject([{ kind: 'memory', units: 3, quantity: 3072, total: 450, refundedMs: null }]);
    expect(shop.items.map(({ kind }) => kind)).toEqual([
      'memory',
      'disk',
      'cpu',
      'slots',
      'ports',
      'databases',
      'backups',
    ]);
    expect(shop.items[0]).toMatchObject({
      quantity: 1024,
      price: 150,
      current: 4096,
      used: 0,
      limitTotal: 16_384,
      unitsLeft: 12,
    });
    const [row] = await world.db.sql<{ reference: string }>(
      "SELECT reference FROM ledger_transactions WHERE kind = 'store.buy'",
    );
    expect(row?.reference).toBe(`store:${await lastPurchase()}`);
  });

  test('T1 fifty purchases at once with credits for one let one succeed', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(350);
    const { id } = await world.item('cpu');
    expect(await atOnce(50, () => world.store.buy(ann, { itemId: id, units: 1, price: 300 }))).toEqual({
      ok: 1,
      INSUFFICIENT_CREDITS: 49,
    });
    expect(await world.balance(ann)).toBe(50);
    expect((await world.limitsOf(ann)).cpu).toBe(200);
  });

  test('T10 a user banned after the session was checked buys nothing, and of fifty purchases at once none follows the ban', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(50_000);
    const { id } = await world.item('disk');
    const buy = () => world.store.buy(ann, { itemId: id, units: 1, price: 200 });
    const ban = () =>
      world.uow.run((tx) =>
        tx.identity.setStatus(ann.actor.userId, 'banned', { reason: 'a reason', untilMs: null }, world.clock.now()),
      );
    const bought = async () => (await world.db.sql('SELECT id FROM store_purchases')).length;
    const [tally, seen] = await Promise.all([atOnce(50, buy), ban().then(bought)]);
    expect(Object.keys(tally).filter((code) => code !== 'ok' && code !== 'UNAUTHENTICATED')).toEqual([]);
    // What was bought was bought before the ban.
    expect([await bought(), tally.ok ?? 0]).toEqual([seen, seen]);
    expect(await codeOf(buy())).toBe('UNAUTHENTICATED');
    expect(await world.balance(ann)).toBe(50_000 - 200 * seen);
  });

  test('T1 fifty purchases at once with space for three keep to the limit', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(100_000);
    const { id } = await world.item('cpu');
    expect(await atOnce(50, () => world.store.buy(ann, { itemId: id, units: 2, price: 300 }))).toEqual({
      ok: 3,
      LIMIT_REACHED: 47,
    });
    expect((await world.limitsOf(ann)).cpu).toBe(700);
    expect(await world.balance(ann)).toBe(100_000 - 3 * 600);
  });

  test('the same request fifty times at once buys once', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(1000);
    const { id } = await world.item('slots');
    const order = { itemId: id, units: 1, price: 500 };
    expect(await atOnce(50, () => world.store.buy(keyed(ann, 'key-0001'), order))).toEqual({ ok: 50 });
    expect(await world.balance(ann)).toBe(500);
    expect((await world.limitsOf(ann)).slots).toBe(2);
    expect(await codeOf(world.store.buy(keyed(ann, 'key-0001', 'other'), { ...order, units: 2 }))).toBe(
      'IDEMPOTENCY_MISMATCH',
    );
  });

  test('a purchase and a refund wait for whoever changes the same limits, and go by what holds then', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(10_000);
    const { userId } = ann.actor;
    const item = await world.item('memory');
    const order = { itemId: item.id, units: 1, price: 150 };
    await world.store.buy(ann, order);
    const purchase = await lastPurchase();
    /** Lets `work` begin while somebody else has the limits, who changes them before they go on. */
    const during = async (change: (tx: Tx) => Promise<unknown>, work: () => Promise<unknown>) => {
      const locked = Promise.withResolvers<void>();
      const other = world.uow.run(async (tx) => {
        await tx.limits.lock(userId);
        locked.resolve();
        // Long enough for one that does not wait to be done.
        await Bun.sleep(engine === 'postgres' ? 300 : 1);
        await change(tx);
      });
      await locked.promise;
      const [code] = await Promise.all([codeOf(work()), other]);
      return code;
    };
    const full = (tx: Tx) => world.limits.raise(tx, userId, 'memory', item.limitTotal - 2048);
    expect(await during(full, () => world.store.buy(ann, order))).toBe('LIMIT_REACHED');
    const least = (tx: Tx) => world.limits.raise(tx, userId, 'memory', 512 - item.limitTotal);
    expect(await during(least, () => world.store.refund(null, purchase))).toBe('PURCHASE_IN_USE');
    expect(await world.balance(ann)).toBe(9850);
  });

  test('fifty refunds at once give the credits back once', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(1000);
    const item = await world.item('disk');
    await world.store.buy(ann, { itemId: item.id, units: 2, price: 200 });
    const purchase = await lastPurchase();
    expect(await atOnce(50, () => world.store.refund(null, purchase))).toEqual({ ok: 1, ALREADY_REFUNDED: 49 });
    expect(await world.balance(ann)).toBe(1000);
    expect((await world.limitsOf(ann)).disk).toBe(5120);
    expect((await world.store.shop(ann)).purchases[0]?.refundedMs).toBe(world.clock.now());
  });
});

describe('what the store refuses', () => {
  test('T11 a price that changed between view and purchase is refused', async () => {
    world = await coinWorld();
    const ann = await world.person(1000);
    const item = await world.item('memory');
    await world.db.sql('UPDATE store_items SET price = 100 WHERE id = ?', [item.id]);
    expect(await codeOf(world.store.buy(ann, { itemId: item.id, units: 1, price: 150 }))).toBe('PRICE_CHANGED');
    await world.db.sql('UPDATE store_items SET price = 200 WHERE id = ?', [item.id]);
    expect(await codeOf(world.store.buy(ann, { itemId: item.id, units: 1, price: 150 }))).toBe('PRICE_CHANGED');
    expect(await world.balance(ann)).toBe(1000);
  });

  test('hidden and unknown items, and those for VIPs, are refused', async () => {
    world = await coinWorld();
    const ann = await world.person(1000);
    const [memory, disk] = [await world.item('memory'), await world.item('disk')];
    await world.db.sql('UPDATE store_items SET visible = 0 WHERE id = ?', [memory.id]);
    await world.db.sql('UPDATE store_items SET vip_only = 1 WHERE id = ?', [disk.id]);
    expect(await codeOf(world.store.buy(ann, { itemId: memory.id, units: 1, price: 150 }))).toBe('ITEM_UNAVAILABLE');
    expect(await codeOf(world.store.buy(ann, { itemId: world.ids.uuid(), units: 1, price: 150 }))).toBe(
      'ITEM_UNAVAILABLE',
    );
    expect(await codeOf(world.store.buy(ann, { itemId: disk.id, units: 1, price: 200 }))).toBe('VIP_ONLY');
    const vip = { ...ann, actor: { ...ann.actor, permissions: ['user.permission.vip'] } };
    expect(await codeOf(world.store.buy(vip, { itemId: disk.id, units: 1, price: 200 }))).toBeNull();
    expect((await world.store.shop(ann)).items.map(({ kind }) => kind)).not.toContain('memory');
  });

  test('a buyer who may not have an item hears of that before its price', async () => {
    world = await coinWorld();
    const ann = await world.person(1000);
    const { id } = await world.item('memory');
    await world.db.sql('UPDATE store_items SET vip_only = 1, price = 151 WHERE id = ?', [id]);
    expect(await codeOf(world.store.buy(ann, { itemId: id, units: 1, price: 150 }))).toBe('VIP_ONLY');
  });

  test('T61 staff refund purchases of whom they outrank, with the right to, and of the buyer they mean', async () => {
    world = await coinWorld();
    const [ann, ben, admin] = [await world.person(1000), await world.person(), await world.person()];
    const { id } = await world.item('memory');
    await world.store.buy(ann, { itemId: id, units: 1, price: 150 });
    const purchase = await lastPurchase();
    const refund = (by: SignedIn, buyerId?: string) => codeOf(world.store.refund(by, purchase, buyerId));
    const staff = withRights(admin, 'admin.users.edit');
    expect(await refund(withRights(admin, 'admin.dashboard.view', 'admin.payments.edit'))).toBe('FORBIDDEN');
    // Of the same rank.
    expect(await refund(staff)).toBe('FORBIDDEN');
    const role = { id: world.ids.uuid(), key: null, name: 'Desk', color: '#888888', rank: 2, isDefault: false };
    await world.uow.run(async (tx) => void (await tx.access.add({ ...role, createdMs: 1 }, [])));
    await world.db.sql('UPDATE users SET role_id = ? WHERE id = ?', [role.id, admin.actor.userId]);
    expect(await refund(staff, ben.actor.userId)).toBe('NOT_FOUND');
    expect(await world.balance(ann)).toBe(850);
    expect(await refund(staff, ann.actor.userId)).toBeNull();
    expect(await world.balance(ann)).toBe(1000);
  });

  test('one unit more than fits is refused', async () => {
    world = await coinWorld();
    const ann = await world.person(100_000);
    const { id } = await world.item('memory');
    expect(await codeOf(world.store.buy(ann, { itemId: id, units: 16, price: 150 }))).toBe('LIMIT_REACHED');
    expect(await codeOf(world.store.buy(ann, { itemId: id, units: 15, price: 150 }))).toBeNull();
    expect(await codeOf(world.store.buy(ann, { itemId: id, units: 1, price: 150 }))).toBe('LIMIT_REACHED');
  });

  test('T4 units that are no count are refused, where a caller slips past the edge', async () => {
    world = await coinWorld();
    const ann = await world.person(1000);
    const { id } = await world.item('memory');
    for (const units of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15]) {
      expect(await codeOf(world.store.buy(ann, { itemId: id, units, price: 150 }))).toBe('LIMIT_REACHED');
    }
    expect(await world.balance(ann)).toBe(1000);
  });

  test('a user with a debt spends nothing', async () => {
    world = await coinWorld();
    const ann = await world.person(100);
    const { id } = await world.item('ports');
    const facts = {
      userId: ann.actor.userId,
      amount: 150,
      destination: 'system:payment.stripe',
      kind: 'charge.back',
      reference: 'back:1',
    } as const;
    await world.uow.run((tx) => world.ledger.chargeBack(tx, facts));
    await world.grant(ann.actor.userId, 500);
    expect(await codeOf(world.store.buy(ann, { itemId: id, units: 1, price: 100 }))).toBe('SPENDING_BLOCKED');
    expect((await world.limitsOf(ann)).ports).toBe(1);
  });

  test('a refund of what is in use, or of nothing, is refused', async () => {
    world = await coinWorld();
    const ann = await world.person(1000);
    const { id } = await world.item('memory');
    await world.store.buy(ann, { itemId: id, units: 2, price: 150 });
    await useMemory(ann.actor.userId, 1536);
    const purchase = await lastPurchase();
    expect(await codeOf(world.store.refund(null, purchase))).toBe('PURCHASE_IN_USE');
    expect(await codeOf(world.store.refund(null, world.ids.uuid()))).toBe('NOT_FOUND');
    await world.db.sql('UPDATE servers SET memory = 1024');
    expect(await codeOf(world.store.refund(withRights(ann, 'admin.root'), purchase))).toBeNull();
    expect((await world.limitsOf(ann)).memory).toBe(1024);
    const rows = await world.db.sql<{ action: string; target: string; actor_id: string }>(
      "SELECT action, target, actor_id FROM audit WHERE action = 'store.refund'",
    );
    expect(rows).toEqual([{ action: 'store.refund', target: purchase, actor_id: ann.actor.userId }]);
  });
});

describe('T10 broken off at any statement', () => {
  test('a purchase leaves nothing behind', async () => {
    let breaker: ReturnType<typeof crashing> | undefined;
    world = await coinWorld('sqlite', (uow) => (breaker = crashing(uow)));
    const ann = await world.person(1000);
    const { id } = await world.item('memory');
    let crashes = 0;
    for (let call = 1; ; call++) {
      breaker?.arm(call);
      const outcome = await world.store
        .buy(keyed(ann, 'key-0001'), { itemId: id, units: 1, price: 150 })
        .catch((error: unknown) => error);
      if (!breaker?.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.store.shop(ann)).toMatchObject({ balance: 1000, purchases: [] });
      expect((await world.limitsOf(ann)).memory).toBe(1024);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(6);
    expect(await world.balance(ann)).toBe(850);
  });

  test('a refund leaves the purchase as it was', async () => {
    let breaker: ReturnType<typeof crashing> | undefined;
    world = await coinWorld('sqlite', (uow) => (breaker = crashing(uow)));
    const ann = await world.person(1000);
    const { id } = await world.item('memory');
    await world.store.buy(ann, { itemId: id, units: 1, price: 150 });
    const purchase = await lastPurchase();
    let crashes = 0;
    for (let call = 1; ; call++) {
      breaker?.arm(call);
      const outcome = await world.store.refund(null, purchase).catch((error: unknown) => error);
      if (!breaker?.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.store.shop(ann)).toMatchObject({ balance: 850, purchases: [{ refundedMs: null }] });
      expect((await world.limitsOf(ann)).memory).toBe(2048);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(6);
    expect(await world.balance(ann)).toBe(1000);
  });
});
