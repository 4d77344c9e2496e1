import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServerPage } from '#server/api/present-servers.ts';
import { subscriber, type PayloadOf } from '#server/modules/events/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, iso } from '#shared/time.ts';
import { atOnce, codeOf, keyed } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.5.

let world: ServersWorld;
beforeEach(async () => {
  world = await serversWorld();
});
afterEach(() => world.close());

const expiryOf = async (id: string) => iso((await world.row(id)).expiresMs);
const renew = async (ctx: SignedIn, id: string, shown: { price?: number; expiresAt?: string | null } = {}) =>
  world.servers.renew(ctx, id, {
    price: shown.price ?? 100,
    expiresAt: shown.expiresAt === undefined ? await expiryOf(id) : shown.expiresAt,
  });
const paidPeriods = async () =>
  (await world.db.sql("SELECT id FROM ledger_transactions WHERE kind = 'server.renew'")).length;

describe('renewing', () => {
  test('a renewal pays a period and adds its days to what is left', async () => {
    const ctx = await world.person({ credits: 250 });
    const id = await world.upServer(ctx);
    const before = (await world.row(id)).expiresMs ?? 0;
    world.clock.advance(10 * DAY);
    const shown = presentServerPage(await world.servers.get(ctx, id)).renew;
    expect(shown).toEqual({
      cost: 100,
      days: 30,
      new_expiry: iso(before + 30 * DAY),
      allowed: true,
      reason: null,
      balance: 250,
    });
    expect(await renew(ctx, id)).toEqual({ expiresMs: before + 30 * DAY, balance: 150 });
    expect(await world.row(id)).toMatchObject({ expiresMs: before + 30 * DAY, periods: 1 });
    expect(presentServerPage(await world.servers.get(ctx, id)).activity[0]).toMatchObject({
      code: 'renewed',
      detail: iso(before + 30 * DAY),
    });
  });

  test('a renewal by the owner is announced, and does not notify the owner', async () => {
    const ctx = await world.person({ credits: 100 });
    const id = await world.upServer(ctx);
    const heard: PayloadOf<'server.renewed'>[] = [];
    world.deps.events.subscribe([subscriber('server.renewed', async (_, payload) => void heard.push(payload))]);
    await renew(ctx, id);
    const { expiresMs, name } = await world.row(id);
    expect(heard).toEqual([
      { serverId: id, userId: ctx.actor.userId, name, cost: 100, expiresMs: expiresMs ?? 0, automatic: false },
    ]);
    expect(await world.notices(ctx)).toEqual(['serverReady']);
  });

  test('T1 fifty renewals at once with money for one pay one period', async () => {
    const ctx = await world.person({ credits: 100 });
    const id = await world.upServer(ctx);
    const before = (await world.row(id)).expiresMs ?? 0;
    const expiresAt = await expiryOf(id);
    expect(await atOnce(50, () => renew(ctx, id, { expiresAt }))).toEqual({ ok: 1, CONFLICT: 49 });
    expect(await world.balance(ctx)).toBe(0);
    expect((await world.row(id)).expiresMs).toBe(before + 30 * DAY);
    expect(await paidPeriods()).toBe(1);
  });

  test('T1 fifty servers renewed at once with money for one leave one of them renewed', async () => {
    const ctx = await world.person({
      credits: 199,
      limits: { slots: 50, memory: 100_000, disk: 100_000, cpu: 10_000, ports: 50 },
    });
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1)
      ids.push((await world.servers.create(ctx, world.serverInput({ name: `s${at}` }))).id);
    await world.pass(5 * 60_000);
    const calls = await Promise.all(ids.map(async (id) => ({ id, expiresAt: await expiryOf(id) })));
    expect(
      await atOnce(20, (at) =>
        world.servers.renew(ctx, calls[at]?.id ?? '', { price: 100, expiresAt: calls[at]?.expiresAt ?? null }),
      ),
    ).toEqual({ ok: 1, INSUFFICIENT_CREDITS: 19 });
    expect(await world.balance(ctx)).toBe(99);
  });

  test('a click that is repeated is not a second period, with a key or without', async () => {
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx);
    const expiresAt = await expiryOf(id);
    const first = await renew(keyed(ctx, 'renew-key'), id, { expiresAt });
    expect(await renew(keyed(ctx, 'renew-key'), id, { expiresAt })).toEqual(first);
    expect(await codeOf(renew(ctx, id, { expiresAt }))).toBe('CONFLICT');
    expect(await world.balance(ctx)).toBe(900);
  });

  test('T11 another price than the one shown is refused before anything moves', async () => {
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx);
    await world.settings.set(null, { server_renew_cost: 150 });
    expect(await codeOf(renew(ctx, id, { price: 100 }))).toBe('PRICE_CHANGED');
    expect(await world.balance(ctx)).toBe(1000);
    expect(await renew(ctx, id, { price: 150 })).toMatchObject({ balance: 850 });
  });

  test('a renewal goes no further than 90 days ahead', async () => {
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx);
    await renew(ctx, id);
    await renew(ctx, id);
    expect(await codeOf(renew(ctx, id))).toBe('RENEW_TOO_FAR');
    expect(await world.balance(ctx)).toBe(800);
    expect(presentServerPage(await world.servers.get(ctx, id)).renew).toMatchObject({
      allowed: false,
      reason: 'RENEW_TOO_FAR',
    });
  });

  test('somebody in debt pays nothing, by hand or by itself', async () => {
    const ctx = await world.person({ credits: 500 });
    const id = await world.upServer(ctx, { autoRenew: true });
    await world.uow.run((tx) =>
      world.ledger.chargeBack(tx, {
        userId: ctx.actor.userId,
        amount: toCredits(600),
        kind: 'payment.chargeback',
        reference: 'charge-back:1',
        destination: 'system:payment.stripe',
      }),
    );
    await world.uow.run(
      async (tx) =>
        void (await world.ledger.transfer(tx, {
          kind: 'adjustment',
          reference: 'more',
          postings: [{ source: 'system:adjustment', destination: `user:${ctx.actor.userId}`, amount: toCredits(200) }],
        })),
    );
    expect(await codeOf(renew(ctx, id))).toBe('SPENDING_BLOCKED');
    expect(presentServerPage(await world.servers.get(ctx, id)).renew).toMatchObject({
      allowed: false,
      reason: 'SPENDING_BLOCKED',
    });
    await world.live(31 * DAY, DAY / 2);
    expect(await world.balance(ctx)).toBe(200);
    expect((await world.row(id)).state).toBe('suspended');
  });

  test('a renewal without enough credits, while queued or switched off is refused', async () => {
    const ctx = await world.person({ credits: 99 });
    const id = await world.upServer(ctx);
    expect(await codeOf(renew(ctx, id))).toBe('INSUFFICIENT_CREDITS');
    expect(presentServerPage(await world.servers.get(ctx, id)).renew.reason).toBe('INSUFFICIENT_CREDITS');
    const { id: queued } = await world.servers.create(ctx, world.serverInput());
    expect(await codeOf(renew(ctx, queued))).toBe('SERVER_NOT_READY');
    await world.settings.set(null, { server_renew_enabled: false });
    expect(await codeOf(renew(ctx, id))).toBe('FEATURE_DISABLED');
    expect(await paidPeriods()).toBe(0);
  });

  test('no period is recorded where it costs nothing', async () => {
    await world.settings.set(null, { server_renew_cost: 0 });
    const ctx = await world.person();
    const id = await world.upServer(ctx);
    expect(await renew(ctx, id, { price: 0 })).toMatchObject({ balance: 0 });
    expect(await paidPeriods()).toBe(0);
    expect((await world.row(id)).periods).toBe(1);
  });

  test('T10 an error at any step of a renewal leaves neither charge nor days', async () => {
    const { crashing } = await import('#tests/support/crash.ts');
    let armed: ReturnType<typeof crashing> | undefined;
    const other = await serversWorld('sqlite', (uow) => (armed = crashing(uow)));
    const ctx = await other.person({ credits: 100 });
    const id = await other.upServer(ctx);
    const before = await other.row(id);
    for (let step = 1; ; step += 1) {
      armed?.arm(step);
      const failed = await other.servers.renew(ctx, id, { price: 100, expiresAt: iso(before.expiresMs) }).then(
        () => false,
        () => true,
      );
      if (!armed?.disarm()) {
        expect(failed).toBe(false);
        expect(step).toBeGreaterThan(5);
        break;
      }
      expect(failed).toBe(true);
      expect(await other.balance(ctx)).toBe(100);
      expect(await other.row(id)).toEqual(before);
    }
    expect(await other.balance(ctx)).toBe(0);
    await other.close();
  });
});

describe('pay all due', () => {
  /** Three servers whose periods end at different times, with the given credits. */
  async function three(credits: number): Promise<{ ctx: SignedIn; ids: string[] }> {
    const ctx = await world.person({ credits });
    const ids: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      ids.push(await world.upServer(ctx, { name }));
      world.clock.advance(DAY / 2);
    }
    world.clock.advance(27 * DAY);
    return { ctx, ids };
  }

  test('the command renews what is due, the oldest first, as far as the credits go', async () => {
    const { ctx, ids } = await three(250);
    expect((await world.uow.read((tx) => world.servers.overview(tx, ctx.actor.userId))).due).toBe(300);
    expect(await world.servers.renewAll(ctx, 300)).toEqual({ renewed: 2, skipped: 1, balance: 50 });
    expect(await Promise.all(ids.map(async (id) => (await world.row(id)).periods))).toEqual([1, 1, 0]);
  });

  test('a server that its owner puts first is renewed before older ones, and one that is put last after all', async () => {
    const { ctx, ids } = await three(200);
    const [oldest = '', , newest = ''] = ids;
    await world.servers.autoRenew(ctx, newest, true, -1);
    await world.servers.autoRenew(ctx, oldest, true, 1);
    // Turning it off and on again keeps the place.
    for (const on of [false, true]) await world.servers.autoRenew(ctx, oldest, on);
    expect(await world.servers.renewAll(ctx, 300)).toMatchObject({ renewed: 2, skipped: 1 });
    expect(await Promise.all(ids.map(async (id) => (await world.row(id)).periods))).toEqual([0, 1, 1]);
    const { activity } = presentServerPage(await world.servers.get(ctx, oldest));
    expect(activity.filter(({ code }) => code.startsWith('autoRenew')).map(({ code }) => code)).toEqual([
      'autoRenewOn',
      'autoRenewOff',
      'autoRenewOn',
    ]);
  });

  test('the server that ends first is renewed first, and of two that end together the one that was made first', async () => {
    const { ctx, ids } = await three(100);
    const periods = () => Promise.all(ids.map(async (id) => (await world.row(id)).periods));
    const { expiresMs } = await world.row(ids[1] ?? '');
    await world.db.sql('UPDATE servers SET expires_ms = ? WHERE user_id = ?', [expiresMs ?? 0, ctx.actor.userId]);
    await world.db.sql('UPDATE servers SET expires_ms = expires_ms + 1 WHERE id = ?', [ids[0] ?? '']);
    expect(await world.servers.renewAll(ctx, 300)).toMatchObject({ renewed: 1, skipped: 2 });
    expect(await periods()).toEqual([0, 1, 0]);
    await world.db.sql('UPDATE servers SET expires_ms = ? WHERE periods = 0', [expiresMs ?? 0]);
    await world.grant(ctx, 100);
    expect(await world.servers.renewAll(ctx, 200)).toMatchObject({ renewed: 1, skipped: 1 });
    expect(await periods()).toEqual([1, 1, 0]);
  });

  test('a server is due three days before its end and while it is suspended for it, not while staff suspend it', async () => {
    const ctx = await world.person({ credits: 100 });
    const id = await world.upServer(ctx);
    const due = async () => (await world.uow.read((tx) => world.servers.overview(tx, ctx.actor.userId))).due;
    const { expiresMs } = await world.row(id);
    world.clock.advance((expiresMs ?? 0) - 3 * DAY - world.clock.now() - 1);
    expect(await due()).toBe(0);
    world.clock.advance(1);
    expect(await due()).toBe(100);
    await world.db.sql("UPDATE servers SET state = 'suspended', suspend_reason = 'staff' WHERE id = ?", [id]);
    expect(await due()).toBe(0);
    await world.db.sql("UPDATE servers SET suspend_reason = 'expired' WHERE id = ?", [id]);
    expect(await due()).toBe(100);
    expect(await world.servers.renewAll(ctx, 100)).toMatchObject({ renewed: 1, skipped: 0 });
    expect((await world.row(id)).state).toBe('active');
  });

  test('nothing is due while renewal is switched off, and the command is refused', async () => {
    const { ctx } = await three(300);
    await world.settings.set(null, { server_renew_enabled: false });
    expect((await world.uow.read((tx) => world.servers.overview(tx, ctx.actor.userId))).due).toBe(0);
    expect(await codeOf(world.servers.renewAll(ctx, 0))).toBe('FEATURE_DISABLED');
    expect(await world.balance(ctx)).toBe(300);
  });

  test('another sum than the one shown, or no money at all, is refused', async () => {
    const { ctx } = await three(99);
    expect(await codeOf(world.servers.renewAll(ctx, 200))).toBe('PRICE_CHANGED');
    expect(await codeOf(world.servers.renewAll(ctx, 300))).toBe('INSUFFICIENT_CREDITS');
    expect(await world.balance(ctx)).toBe(99);
  });

  test('T1 twenty commands at once renew each server once', async () => {
    const { ctx, ids } = await three(1000);
    expect(await atOnce(20, () => world.servers.renewAll(ctx, 300))).toEqual({ ok: 1, PRICE_CHANGED: 19 });
    expect(await world.balance(ctx)).toBe(700);
    expect(await Promise.all(ids.map(async (id) => (await world.row(id)).periods))).toEqual([1, 1, 1]);
  });

  test('nothing happens where nothing is due', async () => {
    const ctx = await world.person({ credits: 500 });
    await world.upServer(ctx);
    expect(await world.servers.renewAll(ctx, 0)).toEqual({ renewed: 0, skipped: 0, balance: 500 });
  });
});
