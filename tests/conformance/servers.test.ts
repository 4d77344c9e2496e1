import { afterEach, describe, expect, test } from 'bun:test';
import { createServersRepo } from '#server/data/repos/servers.ts';
import { SERVER_JOBS } from '#server/modules/servers/index.ts';
import type { Closed } from '#server/modules/jobs/index.ts';
import type { ServerRow } from '#server/modules/servers/core/ports.ts';
import { waitingEntries } from '#server/modules/servers/outages/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { atOnce } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { plansOf } from '#tests/support/plans.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

interface Cursor {
  readonly userId: string;
  readonly order: number;
  readonly expiresMs: number;
  readonly id: string;
}

let world: ServersWorld;
afterEach(() => world.close());

/** The races and the SQL of servers, on both databases. */
describe.each(ENGINES)('servers on %s', (engine) => {
  test('a whole life passes: queue, panel, change, reminders, suspension, revival, deletion', async () => {
    world = await serversWorld(engine);
    const ctx = await world.person();
    const id = await world.upServer(ctx, { autoRenew: true });
    await world.servers.update(ctx, id, {
      name: 'Renamed',
      description: 'x',
      resources: { memory: 1024, disk: 512, cpu: 50, ports: 2, databases: 0, backups: 0 },
    });
    await world.live(31 * DAY, 12 * HOUR);
    expect((await world.servers.get(ctx, id)).server).toMatchObject({ state: 'suspended', name: 'Renamed' });
    await world.grant(ctx, 100);
    await world.live(HOUR, HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'active', periods: 1 });
    await world.servers.delete(ctx, id, 'Renamed');
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'deleted' });
    expect(await world.inPanel()).toEqual([]);
    expect((await world.servers.list(ctx)).meters.memory).toEqual({ used: 0, limit: 10_240 });
  });

  test('T21 creations at once have the last slot of a user and the last slots of a location given once', async () => {
    world = await serversWorld(engine);
    const one = await world.person({ limits: { slots: 1 } });
    expect(await atOnce(20, () => world.servers.create(one, world.serverInput()))).toEqual({
      ok: 1,
      NOT_ENOUGH_SLOTS: 19,
    });
    const locationId = await world.addLocation({ slots: 2 });
    const people = await Promise.all(Array.from({ length: 12 }, () => world.person()));
    const calls = people.map((person) => () => world.servers.create(person, world.serverInput({ locationId })));
    expect(await atOnce(12, (at) => calls[at]?.() ?? Promise.reject(new Error('nobody')))).toEqual({
      ok: 2,
      LOCATION_FULL: 10,
    });
  });

  test('T21 many workers at once make each server once, and no port twice', async () => {
    world = await serversWorld(engine);
    const people = await Promise.all(Array.from({ length: 8 }, () => world.person()));
    for (const person of people) await world.servers.create(person, world.serverInput());
    const runners = Array.from({ length: 4 }, () => world.makeRunner());
    for (let at = 0; at < 60; at += 1) {
      await Promise.all(runners.map((runner) => runner.runDue()));
      world.clock.advance(2000);
    }
    const made = await world.inPanel();
    expect(made).toHaveLength(8);
    expect(new Set(made.map((server) => server.address)).size).toBe(8);
  });

  test('T1 renewals at once pay one period', async () => {
    world = await serversWorld(engine);
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx);
    const expiresAt = iso((await world.row(id)).expiresMs);
    expect(await atOnce(20, () => world.servers.renew(ctx, id, { price: 100, expiresAt }))).toEqual({
      ok: 1,
      CONFLICT: 19,
    });
    expect(await world.balance(ctx)).toBe(900);
  });

  test('T12 two schedulers at once pay and send once', async () => {
    world = await serversWorld(engine);
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx, { autoRenew: true });
    world.clock.set(((await world.row(id)).expiresMs ?? 0) - DAY);
    const four = () => Promise.all(Array.from({ length: 4 }, () => world.servers.processExpiry()));
    await four();
    expect(await world.notices(ctx)).toEqual(['serverReady', 'renewReminder']);
    world.clock.advance(DAY);
    await four();
    expect(await world.balance(ctx)).toBe(900);
  });

  test('cursors go through every page', async () => {
    world = await serversWorld(engine);
    const ctx = await world.person();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push(await world.upServer(ctx, { name: `s${at}` }));
    await world.db.sql(
      "UPDATE servers SET expires_ms = 1000, state = 'suspended', suspend_reason = 'expired' WHERE name IN ('s0', 's1', 's2')",
    );
    const seen: string[] = [];
    let last: Cursor | null = null;
    for (;;) {
      const from: Cursor | null = last;
      const [row]: ServerRow[] = await world.uow.read((tx) => tx.servers.listSuspendedForExpiry(from, 1));
      if (!row) break;
      seen.push(row.id);
      last = { userId: row.userId, order: row.autoRenewOrder, expiresMs: row.expiresMs ?? 0, id: row.id };
    }
    expect(seen).toEqual(ids.slice(0, 3).sort());
    const expiring = await world.uow.read((tx) => tx.servers.listExpiring(world.clock.now() + 40 * DAY, null, 1));
    const rest = await world.uow.read((tx) =>
      tx.servers.listExpiring(
        world.clock.now() + 40 * DAY,
        { expiresMs: expiring[0]?.expiresMs ?? 0, id: expiring[0]?.id ?? '' },
        10,
      ),
    );
    expect([...expiring, ...rest].map((row) => row.id)).toEqual(ids.slice(3));
  });

  test('the head of the queue is the first of the line whoever was served before, and a full panel’s entries are passed over', async () => {
    world = await serversWorld(engine);
    /** What a transaction would give, and undoes it. */
    async function tryOut<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
      let given: T | undefined;
      const undone = world.uow.run(async (tx) => {
        given = await work(tx);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      return given;
    }
    const real = await world.addPanel({ nodes: [{ id: 'a', ports: 50, memory: 100_000 }] });
    const people = await Promise.all(
      [['user.permission.vip'], [], [], []].map((permissions) => world.person({ permissions })),
    );
    for (let n = 0; n < 16; n += 1) {
      const person = people[(n * 7) % 4];
      if (person)
        await world.servers.create(
          person,
          world.serverInput({ name: `s${n}`, ...(n % 3 === 0 ? { locationId: real.location } : {}) }),
        );
      world.clock.advance(1000);
    }
    const now = world.clock.now();
    const elsewhere = { limitKeys: [real.id], placeKeys: [] };
    const first = (closed: Closed) =>
      tryOut(async (tx) => {
        const request = { token: 'test', nowMs: now, leaseMs: MINUTE };
        return (await tx.jobs.leaseFirst(SERVER_JOBS.build, request, { servedSinceMs: now - 10 * MINUTE, closed }))?.id;
      });
    for (let left = 16; left > 0; left -= 1) {
      const line = await world.uow.read((tx) => waitingEntries(tx, now, 100));
      expect(line).toHaveLength(left);
      expect(await first({ limitKeys: [], placeKeys: [] })).toBe(line[0] as string);
      expect(await first({ limitKeys: [real.id, ''], placeKeys: [] })).toBeUndefined();
      const there = await world.db.sql<{ id: string }>(
        'SELECT q.id FROM server_queue q JOIN servers s ON s.id = q.server_id WHERE s.panel IS NOT NULL',
      );
      const passedOver = new Set(there.map(({ id }) => id));
      const [other] = await world.uow.read((tx) =>
        tx.jobs.listWaiting(SERVER_JOBS.build, now, { servedSinceMs: now - 10 * MINUTE, closed: elsewhere, limit: 1 }),
      );
      expect([await first(elsewhere), passedOver.has(other ?? '')]).toEqual([other, false]);
      // Every other one is served, which counts against its user.
      await world.db.sql("UPDATE jobs SET state = 'done', begun_ms = ? WHERE id = ?", [
        left % 2 === 0 ? now : null,
        line[0] ?? '',
      ]);
    }
  });
});

test('T66 what is suspended is found along its index, page by page, without sorting all of it', async () => {
  world = await serversWorld();
  const from = { userId: 'u', order: 1, expiresMs: 1, id: 's' };
  const plans = await plansOf(world.db, async (db, raw) => {
    const repo = createServersRepo(db, raw);
    await repo.listSuspendedForExpiry(null, 40);
    await repo.listSuspendedForExpiry(from, 40);
  });
  expect(plans.map(({ plan }) => /^SEARCH servers USING INDEX (\w+) .*(?:\n.*)?$/.exec(plan)?.[1])).toEqual([
    'servers_suspended',
    'servers_suspended',
  ]);
  for (const { plan } of plans) expect(plan).not.toContain('TEMP B-TREE');
});

describe.each(ENGINES)('owners whose servers do not go with their status, on %s', (engine) => {
  test('each is found and put in step by the next run, and then nobody is', async () => {
    world = await serversWorld(engine);
    const [banned, free, plain] = [await world.person(), await world.person(), await world.person()];
    const ids = [await world.upServer(banned), await world.upServer(free), await world.upServer(plain)];
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [banned.actor.userId]);
    await world.db.sql(
      "UPDATE servers SET state = 'suspended', suspend_reason = 'ban', desired = 'suspended' WHERE id = ?",
      [ids[1] ?? ''],
    );
    const found = () => world.uow.read((tx) => tx.servers.listOwnersOutOfStep(10));
    expect(await found()).toEqual([banned.actor.userId, free.actor.userId].toSorted());
    expect(await world.uow.read((tx) => tx.servers.listOwnersOutOfStep(1))).toHaveLength(1);
    await world.servers.syncOwners();
    expect(await found()).toEqual([]);
    expect(await Promise.all(ids.map(async (id) => (await world.row(id)).state))).toEqual([
      'suspended',
      'active',
      'active',
    ]);
  });
});
