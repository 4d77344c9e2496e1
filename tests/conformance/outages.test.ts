import { afterEach, describe, expect, test } from 'bun:test';
import { SERVER_JOBS, type Outage } from '#server/modules/servers/index.ts';
import { BUILD_LINE, waitingEntries } from '#server/modules/servers/outages/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

const OUTAGE: Outage = {
  panel: 'p',
  node: '',
  cause: 'panel',
  reason: null,
  sinceMs: 1000,
  nextMs: 2000,
  tries: 1,
  notifiedMs: null,
};

describe.each(['sqlite', 'postgres'] as const)('outages of panels in the database, %s', (engine) => {
  let world: ServersWorld;
  afterEach(() => world.close());

  test('P2 an outage keeps since when it is, its try is taken once, staff are notified once, and it ends once', async () => {
    world = await serversWorld(engine);
    const run = <T>(work: (tx: Parameters<Parameters<typeof world.uow.run>[0]>[0]) => Promise<T>) =>
      world.uow.run(work);
    await run((tx) => tx.outages.save(OUTAGE));
    await run((tx) => tx.outages.save({ ...OUTAGE, node: '7', cause: 'node' }));
    expect(await run((tx) => tx.outages.claimRetry('p', '', 1999, 9000))).toBe(false);
    expect([
      await run((tx) => tx.outages.claimRetry('p', '', 2000, 9000)),
      await run((tx) => tx.outages.claimRetry('p', '', 2000, 9000)),
    ]).toEqual([true, false]);
    expect([
      await run((tx) => tx.outages.markNotified('p', '', 3000)),
      await run((tx) => tx.outages.markNotified('p', '', 4000)),
    ]).toEqual([true, false]);
    await run((tx) => tx.outages.save({ ...OUTAGE, sinceMs: 8000, nextMs: 9000, tries: 2 }));
    expect(await run((tx) => tx.outages.find('p', ''))).toEqual({
      ...OUTAGE,
      nextMs: 9000,
      tries: 2,
      notifiedMs: 3000,
    });
    // Another cause is news to staff.
    await run((tx) =>
      tx.outages.save({ ...OUTAGE, cause: 'key', reason: 'key', sinceMs: 8000, nextMs: 12_000, tries: 2 }),
    );
    expect(await run((tx) => tx.outages.list())).toEqual([
      { ...OUTAGE, cause: 'key', reason: 'key', nextMs: 12_000, tries: 2, notifiedMs: null },
      { ...OUTAGE, node: '7', cause: 'node' },
    ]);
    expect([await run((tx) => tx.outages.end('p', '')), await run((tx) => tx.outages.end('p', ''))]).toEqual([
      true,
      false,
    ]);
    expect(await run((tx) => tx.outages.find('p', ''))).toBeNull();
  });

  test('P2 entries of an unreachable panel or node are skipped until its next try, and found once they wait too long', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({
      nodes: [
        { id: 'a', ports: 9 },
        { id: 'b', ports: 9 },
      ],
    });
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      ids.push(
        (
          await world.servers.create(
            await world.person(),
            world.serverInput(at < 2 ? { locationId: panel.location } : {}),
          )
        ).id,
      );
      world.clock.advance(1000);
    }
    const nodes = await Promise.all(ids.map(async (id) => (await world.row(id)).panelNode));
    expect(nodes).toEqual(['a', 'b', null]);
    const now = world.clock.now();
    const put = (outage: Partial<Outage>) =>
      world.uow.run((tx) =>
        tx.outages.save({ ...OUTAGE, panel: panel.id, sinceMs: now, nextMs: now + MINUTE, ...outage }),
      );
    /** Servers of the entries that may be begun at a moment, and of those that wait. */
    const serversOf = (find: (tx: Tx) => Promise<string[]>) =>
      world.uow.read(async (tx) =>
        Promise.all((await find(tx)).map(async (id) => (await tx.servers.findBuilds([id]))[0]?.entry.serverId)),
      );
    const head = async (at: number) =>
      (
        await serversOf(async (tx) =>
          tx.jobs.listWaiting(SERVER_JOBS.build, at, {
            servedSinceMs: at - 10 * MINUTE,
            closed: (await BUILD_LINE.closed(tx, at))([]),
            limit: 1,
          }),
        )
      )[0];
    const line = () => serversOf((tx) => waitingEntries(tx, now, 10));
    await put({ node: 'a', cause: 'node' });
    expect([await head(now), await line()]).toEqual([ids[1], [ids[1], ids[2]]] as never);
    expect(await head(now + MINUTE)).toBe(ids[0] as string);
    await put({ node: '' });
    expect([await head(now), await line()]).toEqual([ids[2], [ids[2]]] as never);
    const late = async (before: number) =>
      (await world.uow.read((tx) => tx.servers.listOverdueEntries(before, 10))).map(({ serverId }) => serverId);
    expect(await late(now - 1)).toEqual([]);
    expect((await late(now + HOUR)).toSorted()).toEqual([ids[0], ids[1]].toSorted() as string[]);
    await world.db.sql('UPDATE server_queue SET waiting_since_ms = ? WHERE server_id = ?', [
      now + 2 * HOUR,
      ids[0] ?? '',
    ]);
    expect(await late(now + HOUR)).toEqual([ids[1]] as string[]);
    expect([
      await world.uow.read((tx) => tx.outages.hasWaiting(panel.id, 'a')),
      await world.uow.read((tx) => tx.outages.hasWaiting('other', '')),
    ]).toEqual([true, false]);
    expect(await world.uow.read((tx) => tx.overview.outages())).toMatchObject([
      { node: null, waiting: 2 },
      { node: 'a', waiting: 1 },
    ]);
  });
});
