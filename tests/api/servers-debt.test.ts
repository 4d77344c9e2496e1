import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentOptions, presentServerPage } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, iso } from '#shared/time.ts';
import { atOnce, codeOf, keyed, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.6.

let world: ServersWorld;
afterEach(() => world.close());

const live = (days: number) => world.live(days * DAY, 4 * HOUR);
const state = async (id: string) => (await world.row(id)).state;
const carriedDebt = async (ctx: SignedIn) => presentOptions(await world.servers.options(ctx)).carried_debt;
const create = (ctx: SignedIn, price?: number, name = 'Anew') =>
  world.servers.create(ctx, world.serverInput({ name }), price);
/** Deletes and waits until the panel has confirmed. */
async function gone(ctx: SignedIn, id: string): Promise<void> {
  await world.servers.delete(ctx, id, (await world.row(id)).name);
  await world.pass(2 * 60_000);
  expect(await state(id)).toBe('deleted');
}
const debts = () =>
  world.db.sql<{ state: string; owed: number; hold_id: string | null; taken_by: string | null }>(
    'SELECT state, owed, hold_id, taken_by FROM server_debts ORDER BY ended_ms, server_id',
  );
const openHolds = () => world.db.sql<{ amount: number }>("SELECT amount FROM ledger_holds WHERE state = 'open'");
/** Somebody whose servers ran out, were suspended and have been deleted by their owner. */
async function owing(count = 1, credits = 0): Promise<SignedIn> {
  const ctx = await world.person({ limits: { slots: 100, memory: 102_400, disk: 102_400, cpu: 10_000, ports: 100 } });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await world.upServer(ctx, { name: `Old ${index}` }));
  await live(31.5);
  for (const id of ids) {
    expect(await state(id)).toBe('suspended');
    await gone(ctx, id);
  }
  if (credits > 0) await world.grant(ctx, credits);
  return ctx;
}

describe.each([...ENGINES])('deleting does not buy time on %s', (engine) => {
  beforeEach(async () => {
    world = await serversWorld(engine);
  });

  test('T27 E3 a new server after one suspended for expiry and deleted pays what the old one owed', async () => {
    const ctx = await world.person({ credits: 250 });
    const id = await world.upServer(ctx, { name: 'Old' });
    const end = (await world.row(id)).expiresMs ?? 0;
    await live(31.5);
    const { debt_if_deleted: debt } = presentServerPage(await world.servers.get(ctx, id));
    expect(debt).toEqual({ server: 'Old', owed: 100, ended_at: iso(end), until: iso(end + 30 * DAY) });
    await gone(ctx, id);
    expect(await carriedDebt(ctx)).toEqual(debt);
    expect(await codeOf(create(ctx))).toBe('PRICE_CHANGED');
    const anew = await create(ctx, 100);
    // Reserved while it is being made, spent once it is there.
    expect(await world.balance(ctx)).toBe(150);
    expect(await openHolds()).toEqual([{ amount: 100 }]);
    expect(await carriedDebt(ctx)).toBeNull();
    await world.pass(60_000);
    expect(await world.row(anew.id)).toMatchObject({
      state: 'active',
      expiresMs: (await world.row(anew.id)).createdMs + 30 * DAY,
    });
    expect(await openHolds()).toEqual([]);
    expect(await debts()).toMatchObject([{ state: 'closed', owed: 100 }]);
    expect(await world.db.uow.read((tx) => world.ledger.balance(tx, 'system:renewal'))).toBe(100);
    // And what comes after that is free of it.
    await create(ctx);
    expect(await world.balance(ctx)).toBe(150);
  });

  test('E3 fifty creations at once have each debt taken over by one server, and the ledger proves it', async () => {
    const ctx = await owing(3, 10_000);
    const paid = await atOnce(50, (index) => create(keyed(ctx, `pay-${index}`, `${index}`), 100, `Paid ${index}`));
    expect(paid).toEqual({ ok: 3, PRICE_CHANGED: 47 });
    expect(await world.balance(ctx)).toBe(9700);
    expect(await openHolds()).toHaveLength(3);
    const taken = await debts();
    expect(taken.map((debt) => debt.state)).toEqual(['taken', 'taken', 'taken']);
    expect(new Set(taken.map((debt) => debt.taken_by)).size).toBe(3);
    await world.pass(5 * 60_000);
    expect((await debts()).map((debt) => debt.state)).toEqual(['closed', 'closed', 'closed']);
    expect(await openHolds()).toEqual([]);
    expect(await world.balance(ctx)).toBe(9700);
    expect(await world.db.uow.read((tx) => world.ledger.balance(tx, 'system:renewal'))).toBe(300);
  });

  test('E3 fifty creations at once with credits for one of two debts make one, and nothing is lost', async () => {
    const ctx = await owing(2, 150);
    expect(await atOnce(50, (index) => create(keyed(ctx, `pay-${index}`, `${index}`), 100, `Paid ${index}`))).toEqual({
      ok: 1,
      INSUFFICIENT_CREDITS: 49,
    });
    expect(await world.balance(ctx)).toBe(50);
    // Cancelling and deleting at once give it back once.
    const [waiting] = (await world.servers.list(ctx)).servers;
    const ends = await Promise.all([
      atOnce(20, () => world.servers.cancel(ctx, waiting?.id ?? '')),
      atOnce(20, () => world.servers.delete(ctx, waiting?.id ?? '', waiting?.name ?? '')),
    ]);
    expect(ends.reduce((sum, end) => sum + (end.ok ?? 0), 0)).toBe(1);
    expect(await world.balance(ctx)).toBe(150);
    expect((await debts()).map((debt) => debt.state)).toEqual(['open', 'open']);
    expect(await openHolds()).toEqual([]);
  });
});

describe('what a deleted server leaves', () => {
  beforeEach(async () => {
    world = await serversWorld();
  });

  test('E3 a creation that fails, is cancelled or whose owner is banned returns the credits, and the debt waits for the next one', async () => {
    const ctx = await owing(1, 100);
    const cancelled = await create(ctx, 100);
    await world.servers.cancel(ctx, cancelled.id);
    expect([await world.balance(ctx), await carriedDebt(ctx)]).toMatchObject([100, { owed: 100 }]);

    world.failing.add('Broken');
    const failed = await create(ctx, 100, 'Broken');
    await world.pass(10 * 60_000);
    expect(await state(failed.id)).toBe('failed');
    expect([await world.balance(ctx), (await openHolds()).length]).toEqual([100, 0]);
    expect(presentServerPage(await world.servers.get(ctx, failed.id)).carried_debt).toMatchObject({ owed: 100 });
    // Trying again is no way around it.
    world.failing.delete('Broken');
    await world.pass(2 * 60_000);
    expect(await codeOf(world.servers.retry(ctx, failed.id))).toBe('PRICE_CHANGED');
    await world.servers.retry(ctx, failed.id, 100);
    expect(await world.balance(ctx)).toBe(0);

    await world.setStatus(ctx, 'banned');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    expect([await world.balance(ctx), (await debts())[0]?.state]).toEqual([100, 'open']);
    await world.setStatus(ctx, 'active');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    const last = await create(ctx, 100);
    await world.pass(60_000);
    expect(await state(last.id)).toBe('active');
    expect([await world.balance(ctx), (await debts())[0]?.state]).toEqual([0, 'closed']);
  });

  test('E3 what the system deletes at the end of the grace is owed like what its owner deletes, until its unpaid period is over', async () => {
    const ctx = await world.person({ credits: 0 });
    await world.upServer(ctx);
    await live(39);
    expect(await codeOf(create(ctx, 100))).toBe('INSUFFICIENT_CREDITS');
    await live(20);
    expect(await carriedDebt(ctx)).toMatchObject({ owed: 100 });
    await live(1.1);
    expect(await carriedDebt(ctx)).toBeNull();
    await create(ctx);
  });

  test('T27 E3 a server that follows one deleted early ends when that would have, or within its days of grace', async () => {
    const ctx = await world.person({ credits: 100 });
    const id = await world.upServer(ctx, { name: 'Old' });
    const end = (await world.row(id)).expiresMs ?? 0;
    await live(20);
    expect(presentServerPage(await world.servers.get(ctx, id)).debt_if_deleted).toMatchObject({
      owed: 0,
      until: iso(end),
    });
    await gone(ctx, id);
    const next = await create(ctx, 0, 'Next');
    await world.pass(60_000);
    expect((await world.row(next.id)).expiresMs).toBe(end);
    await world.live(end - HOUR - world.clock.now(), 4 * HOUR);
    await gone(ctx, next.id);
    // Before its end: nothing to pay yet, and no day more.
    expect(await carriedDebt(ctx)).toMatchObject({ owed: 0 });
    await live(0.2);
    expect(await carriedDebt(ctx)).toMatchObject({ owed: 100 });
    expect(await codeOf(create(ctx))).toBe('PRICE_CHANGED');
    await create(ctx, 100);
  });

  test('E3 a server that was deleted long before its end leaves nothing after it, and paid time ahead is no gain', async () => {
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx);
    await world.servers.renew(ctx, id, { price: 100, expiresAt: iso((await world.row(id)).expiresMs) });
    await gone(ctx, id);
    const next = await create(ctx);
    expect((await world.row(next.id)).expiresMs).toBe((await world.row(next.id)).createdMs + 30 * DAY);
    await world.pass(60_000);
    await gone(ctx, next.id);
    await live(61);
    expect(await carriedDebt(ctx)).toBeNull();
  });

  test('E3 staff leave nothing by what they delete or suspend, and what they make takes nothing over', async () => {
    const staff = await world.person({ permissions: ['admin.root'] });
    const ctx = await world.person({ credits: 500 });
    const [one, two, three] = [
      await world.upServer(ctx, { name: 'One' }),
      await world.upServer(ctx, { name: 'Two' }),
      await world.upServer(ctx, { name: 'Three' }),
    ];
    await world.servers.staff.suspend(staff, two, 'Mining');
    await live(31.5);
    await world.servers.staff.remove(staff, one, { name: 'One', force: false });
    expect(presentServerPage(await world.servers.get(ctx, two)).debt_if_deleted).toBeNull();
    await gone(ctx, two);
    expect(await carriedDebt(ctx)).toBeNull();
    await gone(ctx, three);
    expect(await carriedDebt(ctx)).toMatchObject({ server: 'Three', owed: 100 });
    const owner =
      (await world.db.sql<{ username: string }>('SELECT username FROM users WHERE id = ?', [ctx.actor.userId]))[0]
        ?.username ?? '';
    await world.servers.staff.createFor(staff, {
      owner,
      input: world.serverInput({ name: 'Gift' }),
      withoutLimits: false,
      verifiedOnly: false,
    });
    expect([await world.balance(ctx), await carriedDebt(ctx)]).toMatchObject([500, { server: 'Three', owed: 100 }]);
  });

  test('E3 the one of several that ended first goes first, and never more is owed than a renewal costs now', async () => {
    const ctx = await world.person({ credits: 1000 });
    const first = await world.upServer(ctx, { name: 'First' });
    await live(2);
    const second = await world.upServer(ctx, { name: 'Second' });
    await live(31.5);
    await gone(ctx, second);
    await gone(ctx, first);
    expect(await carriedDebt(ctx)).toMatchObject({ server: 'First', owed: 100 });
    await world.settings.set(null, { server_renew_cost: 40 });
    expect(await codeOf(create(ctx, 100))).toBe('PRICE_CHANGED');
    await create(ctx, 40);
    expect(await carriedDebt(ctx)).toMatchObject({ server: 'Second', owed: 40 });
    await world.settings.set(null, { server_renew_cost: 500 });
    expect(await carriedDebt(ctx)).toMatchObject({ server: 'Second', owed: 100 });
  });

  test('E3 nothing is noted and nothing counts with the setting, or renewal, switched off', async () => {
    const ctx = await owing(1, 100);
    for (const off of [{ renew_debt_enabled: false }, { server_renew_enabled: false }]) {
      await world.settings.set(null, off);
      expect(await carriedDebt(ctx)).toBeNull();
      await world.settings.set(null, { renew_debt_enabled: true, server_renew_enabled: true });
    }
    await world.settings.set(null, { renew_debt_enabled: false });
    const id = (await create(ctx)).id;
    await world.pass(60_000);
    await live(31.5);
    expect(presentServerPage(await world.servers.get(ctx, id)).debt_if_deleted).toBeNull();
    await gone(ctx, id);
    expect(await debts()).toHaveLength(1);
  });

  test('E3 the same request fifty times at once reserves once and answers all alike', async () => {
    const ctx = await owing(2, 1000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(keyed(ctx, 'key-0001'), 100)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect([await world.balance(ctx), (await openHolds()).length]).toEqual([900, 1]);
    expect(nth(await debts(), 1).state).toBe('open');
  });
});
