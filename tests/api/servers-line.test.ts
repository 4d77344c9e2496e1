import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServer } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { waitingEntries } from '#server/modules/servers/outages/index.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf, keyed, withRights } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
let ctx: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  ctx = await world.person();
});
afterEach(() => world.close());

/** Nothing is held of the user's limits and of the place's slots, and the panel has nothing. */
async function expectNothingHeld(): Promise<void> {
  expect(await world.used(ctx)).toEqual({ memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 });
  expect(await world.slotsUsed()).toBe(0);
  expect(await world.inPanel()).toEqual([]);
}

describe('the order of the queue', () => {
  /** Ids of the first waiting entries, by name. */
  const order = async () => {
    const rows = await world.uow.read(async (tx) => {
      const builds = await Promise.all(
        (await waitingEntries(tx, world.clock.now(), 100)).map((id) => tx.servers.findBuilds([id])),
      );
      return builds.flat().map(({ entry }) => entry);
    });
    const names = new Map(
      (await world.uow.read((tx) => tx.servers.listByIds(rows.map((row) => row.serverId)))).map((server) => [
        server.id,
        server.name,
      ]),
    );
    return rows.map((row) => names.get(row.serverId));
  };
  const ask = async (who: SignedIn, name: string) => {
    world.clock.advance(10);
    return (await world.servers.create(who, world.serverInput({ name }))).id;
  };

  test('the queue puts VIP first, then alternates between users, then goes by age', async () => {
    const bob = await world.person();
    const vip = await world.person({ permissions: ['user.permission.vip'] });
    for (const name of ['a1', 'a2', 'a3']) await ask(ctx, name);
    await ask(bob, 'b1');
    await ask(bob, 'b2');
    await ask(vip, 'v1');
    expect(await order()).toEqual(['v1', 'a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('a user who was served lately waits longer than one who was not', async () => {
    const first = await ask(ctx, 'a1');
    await world.pass(MINUTE);
    expect((await world.row(first)).state).toBe('active');
    const bob = await world.person();
    await ask(ctx, 'a2');
    await ask(bob, 'b1');
    expect(await order()).toEqual(['b1', 'a2']);
    world.clock.advance(11 * MINUTE);
    expect(await order()).toEqual(['a2', 'b1']);
  });

  test('four servers are built at a time, and everybody in line knows their position', async () => {
    const rich = await world.person({ limits: { slots: 20, ports: 20, cpu: 2000 } });
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) ids.push(await ask(rich, `s${at}`));
    await world.pass(0);
    const { servers } = await world.servers.list(rich);
    const byName = new Map(servers.map(presentServer).map((server) => [server.name, server.queue]));
    expect(['s0', 's3', 's4', 's6'].map((name) => byName.get(name)?.position)).toEqual([null, null, 1, 3]);
    expect(byName.get('s4')?.estimate_s).toBe(16);
    await world.pass(2 * MINUTE);
    for (const id of ids) expect((await world.row(id)).state).toBe('active');
  });
});

test('an entry that is built is over for good, and everybody who waits behind it sees the line move', async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => world.person()));
  for (const who of [ctx, ...others]) await world.servers.create(who, world.serverInput());
  const moved = new Set<string>();
  for (const { actor } of [ctx, ...others])
    world.bus.subscribe(`servers:${actor.userId}`, () => void moved.add(actor.userId));
  const last = others.at(-1)?.actor.userId ?? '';
  await world.buildStep();
  expect([moved.has(ctx.actor.userId), moved.has(last)]).toEqual([true, true]);
  await world.pass(MINUTE);
  const rows = await world.db.sql<{ state: string; done_ms: number | null }>('SELECT state, done_ms FROM server_queue');
  expect(rows.map(({ state, done_ms }) => `${state} ${done_ms !== null}`)).toEqual(Array(6).fill('completed true'));
  expect((await world.servers.list(ctx)).servers.map(({ queue }) => queue)).toEqual([null]);
});

describe('leaving the queue', () => {
  test('a server can be cancelled while it waits, and everything is free again', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.servers.cancel(ctx, id);
    await expectNothingHeld();
    expect(await codeOf(world.servers.get(ctx, id))).toBe('NOT_FOUND');
    await world.pass(MINUTE);
    expect(world.panel.calls).toEqual([]);
    expect(await world.steps(id)).toEqual(['queued', 'cancelled', 'released']);
  });

  test('a cancellation that is sent once more with its key has the answer of the first time', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    const once = keyed(ctx, 'the-cancellation');
    expect([await world.servers.cancel(once, id), await world.servers.cancel(once, id)]).toEqual([{}, {}]);
    expect(await world.steps(id)).toEqual(['queued', 'cancelled', 'released']);
    const staff = withRights(await world.person(), 'admin.server.queue.delete');
    const { queueId } = await world.servers.create(ctx, world.serverInput());
    const theirs = keyed(staff, 'the-cancellation');
    for (let turn = 0; turn < 2; turn += 1) expect(await world.servers.staff.cancel(theirs, queueId)).toEqual({});
    await expectNothingHeld();
  });

  test('a server cannot be cancelled once a worker has it', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(0);
    expect(await codeOf(world.servers.cancel(ctx, id))).toBe('NOT_CANCELLABLE');
    expect(await codeOf(world.servers.delete(ctx, id, 'Lanternwood'))).toBe('SERVER_BUSY');
  });
});
