import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { freeCapacity, loadCapacity } from '#server/modules/servers/capacity/reserve.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
afterEach(() => world.close());

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
const many = (count: number) => Promise.all(Array.from({ length: count }, () => world.person()));
const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
};
const held = () =>
  world.db.sql<{ allocation: string; server_id: string }>(
    'SELECT allocation, server_id FROM node_allocations WHERE server_id IS NOT NULL ORDER BY allocation',
  );
const left = async (locationId: string, size = SMALL) =>
  world.uow.read(async (tx) => {
    const location = await tx.catalog.location(locationId);
    if (!location) throw new Error('no location');
    return freeCapacity(await loadCapacity({ ...world.deps }, tx), location, world.egg, size);
  });

/** Capacity and the races for it, on both databases. */
describe.each(ENGINES)('capacity and reservations on %s', (engine) => {
  test('T21 ten of fifty at once for ten ports get one each, no port is given twice, and everybody else hears that it is full', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({
      nodes: [
        { id: 'a', ports: 6, memory: 100_000 },
        { id: 'b', ports: 4, memory: 100_000 },
      ],
    });
    const people = await many(50);
    const calls = people.map(
      (person) => () => world.servers.create(person, world.serverInput({ locationId: panel.location })),
    );
    expect(await atOnce(50, (n) => at(calls, n)())).toEqual({ ok: 10, LOCATION_FULL: 40 });
    expect(await held()).toHaveLength(10);
    expect(new Set((await held()).map((port) => port.server_id)).size).toBe(10);
    expect(await left(panel.location)).toEqual({ left: 0, reason: 'LOCATION_FULL' });
    await world.pass(5 * MINUTE);
    expect([...panel.servers.values()].map((server) => server.ports[0]).sort()).toEqual(
      (await held()).map((port) => port.allocation),
    );
    const rows = await Promise.all((await held()).map((port) => world.row(port.server_id)));
    expect(new Set(rows.map((row) => row.state))).toEqual(new Set(['active']));
    // What players see is the port that was reserved.
    expect(new Set(rows.map((row) => row.address)).size).toBe(10);
  });

  test('T21 fifty at once for the last memory of a node count what was promised before the panel knows of it', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 100, memory: 2048 }] });
    const people = await many(50);
    const calls = people.map(
      (person) => () => world.servers.create(person, world.serverInput({ locationId: panel.location })),
    );
    expect(await atOnce(50, (n) => at(calls, n)())).toEqual({ ok: 4, LOCATION_FULL: 46 });
    await world.pass(5 * MINUTE);
    // Counted once: by the reservations, by the panel's sums that hold them, and by both at the change from one to the
    // other.
    for (let reading = 0; reading < 2; reading += 1) {
      expect(await left(panel.location)).toEqual({ left: 0, reason: 'LOCATION_FULL' });
      await world.pass(1000);
      await panel.read();
    }
    const [server] = await world.db.sql<{ id: string; user_id: string }>(
      "SELECT id, user_id FROM servers WHERE state = 'active' ORDER BY id",
    );
    const owner = at(
      people.filter((person) => person.actor.userId === server?.user_id),
      0,
    );
    await world.servers.delete(owner, server?.id ?? '', 'Lanternwood');
    await world.pass(MINUTE);
    expect(await left(panel.location)).toEqual({ left: 1, reason: null });
  });

  test('T21 changes at once for the last memory of a node, and a creation beside them, give it once', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 20, memory: 2048 + 512 }] });
    const people = await many(4);
    const ids: string[] = [];
    for (const person of people) ids.push(await world.upServer(person, { locationId: panel.location }));
    const grow = (n: number) =>
      world.servers.update(at(people, n % 4), at(ids, n % 4), {
        name: 'Lanternwood',
        description: '',
        resources: { ...SMALL, memory: 1024, ports: 2 },
      });
    const more = await world.person();
    const outcomes = await atOnce(20, (n) =>
      n % 5 === 4 ? world.servers.create(more, world.serverInput({ locationId: panel.location })) : grow(n),
    );
    const [sum] = await world.db.sql<{ memory: number }>(
      "SELECT CAST(SUM(memory) AS BIGINT) AS memory FROM servers WHERE state IN ('active', 'queued')",
    );
    expect(sum?.memory).toBe(2560);
    expect(outcomes['LOCATION_FULL']).toBeGreaterThan(0);
    await world.pass(5 * MINUTE);
    const total = [...panel.servers.values()].reduce((all, server) => all + server.resources.memory, 0);
    expect(total).toBe(2560);
    expect(new Set([...panel.servers.values()].flatMap((server) => server.ports)).size).toBe((await held()).length);
  });

  test('over-allocation, no limit, maintenance, vanished and private nodes are respected', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({
      nodes: [
        { id: 'over', ports: 50, memory: 1000, memoryOver: 50 },
        { id: 'none', ports: 3, memory: 100, memoryOver: -1 },
        { id: 'maintained', ports: 50, maintenance: true },
        { id: 'private', ports: 50, public: false },
        { id: 'elsewhere', ports: 50, location: '2' },
      ],
    });
    // 1500 MB at 512 each, and three ports of a node without a limit.
    expect(await left(panel.location)).toEqual({ left: 2 + 3, reason: null });
    panel.maintenance.add('none');
    await world.pass(1000);
    await panel.read();
    expect((await left(panel.location)).left).toBe(2);
    await world.db.sql("UPDATE node_capacity SET vanished_ms = 1 WHERE node = 'over'");
    expect(await left(panel.location)).toEqual({ left: 0, reason: 'LOCATION_FULL' });
    await world.db.sql('UPDATE panels SET enabled = 0');
    expect(
      await codeOf(world.servers.create(await world.person(), world.serverInput({ locationId: panel.location }))),
    ).toBe('LOCATION_UNAVAILABLE');
  });

  test('cancelling, failing and expired reservations return everything, and one that the panel knows is kept', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 2, memory: 4096 }] });
    const ctx: SignedIn = await world.person();
    const serverInput = world.serverInput({ locationId: panel.location, resources: { ...SMALL, ports: 2 } });
    const { id: first } = await world.servers.create(ctx, serverInput);
    expect(await held()).toHaveLength(2);
    await world.servers.cancel(ctx, first);
    expect([await held(), await world.db.sql('SELECT * FROM capacity_reservations')]).toEqual([[], []]);
    panel.panel.fail('refused', 'createServer');
    const { id: second } = await world.servers.create(ctx, serverInput);
    await world.pass(MINUTE);
    expect((await world.row(second)).state).toBe('failed');
    expect([await held(), await world.db.sql('SELECT * FROM capacity_reservations')]).toEqual([[], []]);
    // A reservation without a server of ours behind it: looked up at the panel, and only then released.
    await world.servers.retry(ctx, second);
    await world.db.sql("UPDATE server_queue SET state = 'failed' WHERE server_id = ?", [second]);
    await world.db.sql("UPDATE servers SET state = 'failed', desired = 'nothing' WHERE id = ?", [second]);
    world.clock.advance(2 * HOUR);
    panel.panel.fail('unavailable', 'findServerByExternalId');
    await world.servers.sweepReservations();
    expect(await held()).toHaveLength(2);
    world.clock.advance(2 * HOUR);
    await world.servers.sweepReservations();
    expect([await held(), await world.db.sql('SELECT * FROM capacity_reservations')]).toEqual([[], []]);
  });

  test('fifty adoptions of one server at once take it over once', async () => {
    world = await serversWorld(engine);
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 5 }] });
    const account = await panel.panel.ensureUser({
      externalId: 'admin',
      username: 'admin',
      email: 'admin@example.test',
      firstName: 'A',
      lastName: 'B',
    });
    const made = await panel.panel.createServer({
      externalId: 'theirs',
      userId: account.outcome === 'ok' ? account.value : '',
      name: 'Old hall',
      description: '',
      location: { id: '', name: '', address: '' },
      placement: { node: 'a', allocation: 'a-25565', additional: ['a-25567'] },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: { ...SMALL, ports: 2 },
      environment: {},
    });
    const panelId = made.outcome === 'ok' ? made.value.panelId : '';
    world.clock.advance(MINUTE);
    const staff = await world.person();
    const people = await many(10);
    const adopt = (n: number) =>
      world.servers.adopt(staff, {
        panel: panel.id,
        panelId,
        userId: at(people, n % 10).actor.userId,
        expiresMs: null,
        locationId: null,
        eggId: null,
      });
    expect(await atOnce(50, adopt)).toEqual({ ok: 1, CONFLICT: 49 });
    await world.pass(MINUTE);
    const [server] = await world.db.sql<{
      id: string;
      user_id: string;
      state: string;
      adopted_ms: number | null;
      ports: number;
    }>('SELECT * FROM servers');
    expect(server).toMatchObject({ state: 'active', ports: 2 });
    expect(server?.adopted_ms).not.toBeNull();
    const owner = [...panel.users.values()].find((user) => user.externalId === server?.user_id);
    expect([...panel.servers.values()]).toMatchObject([
      { externalId: server?.id, userId: owner?.id, name: 'Old hall', ports: ['a-25565', 'a-25567'] },
    ]);
    expect((await held()).map((port) => port.allocation)).toEqual(['a-25565', 'a-25567']);
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [], orphans: [] });
  });
});
