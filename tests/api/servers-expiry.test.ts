import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServerPage } from '#server/api/present-servers.ts';
import { subscriber, type PayloadOf } from '#server/modules/events/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
beforeEach(async () => {
  world = await serversWorld();
});
afterEach(() => world.close());

/** Lets the product run on for some days, as it would by itself. */
const live = (days: number) => world.live(days * DAY, 4 * HOUR);
const state = async (id: string) => (await world.row(id)).state;
const all = (kinds: readonly string[], kind: string) => kinds.filter((each) => each === kind).length;
async function server(
  facts: { credits?: number; autoRenew?: boolean } = {},
): Promise<{ ctx: SignedIn; id: string; expires: number }> {
  const ctx = await world.person({ credits: facts.credits ?? 0 });
  const id = await world.upServer(ctx, { autoRenew: facts.autoRenew ?? false });
  return { ctx, id, expires: (await world.row(id)).expiresMs ?? 0 };
}

describe('a server that nobody pays', () => {
  test('T12 three reminders, suspension at its end, a warning, and deletion after the grace happen each once and none early', async () => {
    const { ctx, id, expires } = await server();
    const seen: [string, number][] = [];
    let known = (await world.notices(ctx)).length;
    for (let hour = 0; hour < 40 * 24; hour += 4) {
      await world.live(4 * HOUR, 4 * HOUR);
      const kinds = await world.notices(ctx);
      for (const kind of kinds.slice(known)) seen.push([kind, (world.clock.now() - expires) / DAY]);
      known = kinds.length;
    }
    expect(seen.map(([kind]) => kind)).toEqual([
      'renewReminder',
      'renewReminder',
      'renewReminder',
      'serverSuspended',
      'serverDeleteWarning',
      'serverDeleted',
    ]);
    for (const [at, least] of [-7, -3, -1, 0, 6, 7].entries()) {
      expect(seen[at]?.[1]).toBeGreaterThanOrEqual(least);
      expect(seen[at]?.[1]).toBeLessThan(least + 0.4);
    }
    expect(await state(id)).toBe('deleted');
    expect(await world.inPanel()).toEqual([]);
    expect(await world.used(ctx)).toMatchObject({ slots: 0 });
    expect(await world.mails(ctx)).toEqual([
      'serverReady',
      'renewReminder',
      'renewReminder',
      'renewReminder',
      'serverSuspended',
      'serverDeleteWarning',
      'serverDeleted',
    ]);
  });

  test('a suspended server says until when it is kept, and the panel has it suspended', async () => {
    const { ctx, id, expires } = await server();
    await live(31);
    const { server: view } = presentServerPage(await world.servers.get(ctx, id));
    expect(view).toMatchObject({
      state: 'suspended',
      suspend_reason: 'expired',
      can: { renew: true, update: false, delete: true, retry: false },
    });
    expect(Date.parse(view.deletes_at ?? '')).toBeGreaterThanOrEqual(expires + 7 * DAY);
    expect(await world.inPanel()).toMatchObject([{ suspended: true }]);
  });

  test('paying revives the server, from today on', async () => {
    const { ctx, id } = await server();
    await live(33);
    await world.grant(ctx, 100);
    const { expiresMs, revision } = await world.row(id);
    const heard: PayloadOf<'server.resumed'>[] = [];
    world.deps.events.subscribe([subscriber('server.resumed', async (_, payload) => void heard.push(payload))]);
    await world.servers.renew(ctx, id, { price: 100, expiresAt: iso(expiresMs) });
    expect(await world.row(id)).toMatchObject({
      state: 'active',
      expiresMs: world.clock.now() + 30 * DAY,
      suspendReason: null,
      revision: revision + 1,
    });
    expect(heard).toMatchObject([{ serverId: id, userId: ctx.actor.userId, revision: revision + 1 }]);
    const { activity } = presentServerPage(await world.servers.get(ctx, id));
    expect(activity.map(({ code, detail }) => [code, detail])).toContainEqual(['resumed', 'expired']);
    await world.pass(MINUTE);
    expect(await world.inPanel()).toMatchObject([{ suspended: false }]);
    await live(12);
    expect(await state(id)).toBe('active');
  });

  test('T26 nothing is deleted while the panel cannot confirm, and it goes on by itself when it can', async () => {
    const { ctx, id } = await server();
    await live(36.8);
    world.panel.fail('unavailable', undefined, 100_000);
    await live(1.5);
    expect(await state(id)).toBe('deleting');
    expect(await world.used(ctx)).toMatchObject({ slots: 1 });
    world.panel.heal();
    await live(0.5);
    expect(await state(id)).toBe('deleted');
    expect(await world.inPanel()).toEqual([]);
  });
});

describe('automatic renewal', () => {
  test('the renewal pays at the end of the period, once a period, as long as the credits last', async () => {
    const { ctx, id, expires } = await server({ credits: 250, autoRenew: true });
    await live(29.9);
    expect(await world.balance(ctx)).toBe(250);
    await live(0.5);
    expect(await world.balance(ctx)).toBe(150);
    expect((await world.row(id)).expiresMs).toBeGreaterThanOrEqual(expires + 30 * DAY);
    await live(30.5);
    expect(await world.balance(ctx)).toBe(50);
    await live(31);
    expect(await world.balance(ctx)).toBe(50);
    expect(await state(id)).toBe('suspended');
    expect(all(await world.notices(ctx), 'serverRenewed')).toBe(2);
  });

  test('a balance that grows brings back what it can pay, the oldest first', async () => {
    const ctx = await world.person();
    const first = await world.upServer(ctx, { name: 'first', autoRenew: true });
    const manual = await world.upServer(ctx, { name: 'manual' });
    const second = await world.upServer(ctx, { name: 'second', autoRenew: true });
    await live(32);
    expect(await Promise.all([first, manual, second].map(state))).toEqual(['suspended', 'suspended', 'suspended']);
    await world.grant(ctx, 150);
    await live(0.2);
    expect(await Promise.all([first, manual, second].map(state))).toEqual(['active', 'suspended', 'suspended']);
    expect(await world.balance(ctx)).toBe(50);
    await world.grant(ctx, 50);
    await live(0.2);
    expect(await Promise.all([first, manual, second].map(state))).toEqual(['active', 'suspended', 'active']);
    expect(await world.inPanel()).toMatchObject([{ suspended: false }, { suspended: true }, { suspended: false }]);
  });

  test('a balance that grows brings back first what its owner put first, and last what they put last', async () => {
    const ctx = await world.person();
    const ids: string[] = [];
    for (const name of ['last', 'normal', 'first']) ids.push(await world.upServer(ctx, { name, autoRenew: true }));
    await world.servers.autoRenew(ctx, ids[0] ?? '', true, 1);
    await world.servers.autoRenew(ctx, ids[2] ?? '', true, -1);
    await live(32);
    for (const expected of ['suspended suspended active', 'suspended active active', 'active active active']) {
      await world.grant(ctx, 100);
      await live(0.2);
      expect((await Promise.all(ids.map(state))).join(' ')).toBe(expected);
    }
    expect(await world.balance(ctx)).toBe(0);
  });

  test('a renewal switched off by the owner pays nothing', async () => {
    const { ctx, id } = await server({ credits: 500, autoRenew: true });
    await world.servers.autoRenew(ctx, id, false);
    await live(31);
    expect(await world.balance(ctx)).toBe(500);
    expect(await state(id)).toBe('suspended');
  });
});

describe('T12 the clock and the scheduler', () => {
  test('T12 sleep for days over all reminders leaves one reminder, and a day of notice before the suspension', async () => {
    const { ctx, id, expires } = await server();
    await live(20);
    world.clock.set(expires + 3 * DAY);
    await world.scheduler.tick();
    expect(await world.notices(ctx)).toEqual(['serverReady', 'renewOverdue']);
    expect(await state(id)).toBe('active');
    await live(0.9);
    expect(await state(id)).toBe('active');
    await live(0.3);
    expect(await state(id)).toBe('suspended');
    expect(Date.parse(presentServerPage(await world.servers.get(ctx, id)).server.deletes_at ?? '')).toBeGreaterThan(
      expires + 10.5 * DAY,
    );
    await live(6);
    expect(await state(id)).toBe('suspended');
  });

  test('T12 sleep for days before the end sends only the latest reminder', async () => {
    const { ctx, expires } = await server();
    await live(20);
    world.clock.set(expires - 2 * DAY);
    await live(0.1);
    expect(all(await world.notices(ctx), 'renewReminder')).toBe(1);
    await live(1.5);
    expect(all(await world.notices(ctx), 'renewReminder')).toBe(2);
  });

  test('T12 sleep over the end of several periods pays one, from today on, not those we slept through', async () => {
    const { ctx, id, expires } = await server({ credits: 1000, autoRenew: true });
    world.clock.set(expires + 65 * DAY);
    await world.scheduler.tick();
    expect(await world.balance(ctx)).toBe(900);
    expect((await world.row(id)).expiresMs).toBe(world.clock.now() + 30 * DAY);
  });

  test('T12 sleep for weeks has the grace begin with the suspension, and a day lies between warning and deletion', async () => {
    const { ctx, id } = await server();
    await live(31);
    expect(await state(id)).toBe('suspended');
    world.clock.advance(60 * DAY);
    await world.scheduler.tick();
    expect(all(await world.notices(ctx), 'serverDeleteWarning')).toBe(1);
    await live(0.9);
    expect(await state(id)).toBe('suspended');
    await live(0.4);
    expect(await state(id)).toBe('deleted');
  });

  test('T12 a clock that jumps ahead and back again suspends at worst, never deletes, and is back without paying', async () => {
    const { ctx, id, expires } = await server({ credits: 100 });
    await live(28);
    const before = world.clock.now();
    world.clock.set(before + 30 * DAY);
    await world.scheduler.tick();
    await world.runner.runDue();
    expect(await state(id)).toBe('suspended');
    world.clock.set(before);
    await live(0.1);
    expect(await world.row(id)).toMatchObject({ state: 'active', expiresMs: expires });
    expect(await world.inPanel()).toMatchObject([{ suspended: false }]);
    expect(await world.balance(ctx)).toBe(100);
  });

  test('T12 a clock that is set back a day in the middle sends or charges nothing twice', async () => {
    const { ctx, expires } = await server({ credits: 1000, autoRenew: true });
    await live(29.5);
    world.clock.set(expires - 2 * DAY);
    await live(2.5);
    expect(all(await world.notices(ctx), 'renewReminder')).toBe(3);
    expect(await world.balance(ctx)).toBe(900);
    world.clock.advance(-DAY);
    await live(2);
    expect(await world.balance(ctx)).toBe(900);
  });

  for (const [name, start] of [
    ['a leap day', Date.UTC(2028, 1, 15)],
    ['a month end', Date.UTC(2026, 0, 31, 23, 59, 59)],
    ['the end of a year', Date.UTC(2026, 11, 20)],
    ['the change to summer time', Date.UTC(2026, 2, 20)],
  ] as const) {
    test(`T12 a period over ${name} has exactly its days`, async () => {
      world.clock.set(start);
      const { id, expires } = await server({ credits: 100, autoRenew: true });
      expect(expires - (await world.row(id)).createdMs).toBe(30 * DAY);
      await world.live(expires - world.clock.now() - 1, DAY);
      expect((await world.row(id)).periods).toBe(0);
      world.clock.set(expires);
      await world.servers.processExpiry();
      expect(await world.row(id)).toMatchObject({ periods: 1, expiresMs: expires + 30 * DAY });
    });
  }
});

describe('renewal switched', () => {
  test('nothing is suspended while renewal is off, and what was comes back', async () => {
    const { id } = await server();
    await live(31);
    expect(await state(id)).toBe('suspended');
    await world.settings.set(null, { server_renew_enabled: false });
    await live(20);
    expect(await state(id)).toBe('active');
    expect(await world.inPanel()).toMatchObject([{ suspended: false }]);
  });

  test('an expiry that passed meanwhile is reminded of first once renewal is on again', async () => {
    const { ctx, id } = await server();
    await world.settings.set(null, { server_renew_enabled: false });
    await live(50);
    await world.settings.set(null, { server_renew_enabled: true });
    await live(0.2);
    expect(await state(id)).toBe('active');
    expect(await world.notices(ctx)).toEqual(['serverReady', 'renewOverdue']);
  });

  test('a first period begins for servers that had none when renewal is on for the first time', async () => {
    await world.settings.set(null, { server_renew_enabled: false });
    const { id } = await server();
    expect((await world.row(id)).expiresMs).toBeNull();
    await world.settings.set(null, { server_renew_enabled: true });
    await world.scheduler.tick();
    expect((await world.row(id)).expiresMs).toBe(world.clock.now() + 30 * DAY);
  });

  test('all servers get their first period, or are back, in one run, however many a batch holds', async () => {
    await world.settings.set(null, { server_renew_enabled: false });
    const { id } = await server();
    const names = (await world.db.sql<{ name: string }>("SELECT name FROM pragma_table_info('servers')")).map(
      ({ name }) => name,
    );
    const own = (name: string) => (name === 'id' || name === 'panel_id' ? `${name} || '-' || n` : name);
    await world.db.sql(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 90)
       INSERT INTO servers (${names.join(', ')})
       SELECT ${names.map(own).join(', ')} FROM servers, numbers WHERE id = ?`,
      [id],
    );
    const count = async (where: string) =>
      (await world.db.sql<{ n: number }>(`SELECT COUNT(*) AS n FROM servers WHERE ${where}`))[0]?.n;
    await world.settings.set(null, { server_renew_enabled: true });
    await world.scheduler.tick();
    expect(await count('expires_ms IS NOT NULL')).toBe(91);
    await world.db.sql("UPDATE servers SET state = 'suspended', suspend_reason = 'expired'");
    await world.settings.set(null, { server_renew_enabled: false });
    world.clock.advance(HOUR);
    await world.scheduler.tick();
    expect(await count("state = 'active'")).toBe(91);
  });
});
