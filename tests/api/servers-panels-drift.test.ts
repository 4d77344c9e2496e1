import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };

let world: ServersWorld;
let panel: TestPanel;
let ctx: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  panel = await world.addPanel({
    nodes: [
      { id: 'a', ports: 8 },
      { id: 'b', ports: 8 },
    ],
  });
  ctx = await world.person({ credits: 100 });
});
afterEach(() => world.close());

const serverInput = (facts: Parameters<ServersWorld['serverInput']>[0] = {}) =>
  world.serverInput({ locationId: panel.location, ...facts });
const up = (facts: Parameters<ServersWorld['serverInput']>[0] = {}, who = ctx) =>
  world.upServer(who, { locationId: panel.location, ...facts });
const held = async () =>
  (
    await world.db.sql<{ allocation: string }>(
      'SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL ORDER BY allocation',
    )
  ).map((port) => port.allocation);
const atPanel = (id: string) => [...panel.servers.values()].find((server) => server.externalId === id);
const drift = () =>
  world.db.sql<{ panel: string; kind: string; ref: string; detail: string; first_ms: number; seen_ms: number }>(
    'SELECT panel, kind, ref, detail, first_ms, seen_ms FROM panel_drift ORDER BY kind, ref',
  );
const update = (id: string, resources: Partial<typeof SMALL>, name = 'Lanternwood') =>
  world.servers.update(ctx, id, { name, description: '', resources: { ...SMALL, ...resources } });

describe('the reconciler at real panels', () => {
  test('T27 another owner, another id, a suspension, more memory and ports at the panel are all corrected', async () => {
    const id = await up();
    const other = await panel.panel.ensureUser({
      externalId: 'x',
      username: 'x',
      email: 'x@example.test',
      firstName: 'x',
      lastName: 'x',
    });
    const server = atPanel(id);
    const owner = server?.userId;
    Object.assign(server ?? {}, {
      userId: other.outcome === 'ok' ? other.value : '',
      suspended: true,
      ports: ['a-25565', 'a-25570'],
      resources: { ...SMALL, memory: 4096 },
    });
    expect((await world.servers.reconcile()).repaired).toEqual([id]);
    expect(await drift()).toMatchObject([
      { panel: panel.id, kind: 'differs', ref: '1', detail: 'details, build, unsuspend' },
    ]);
    await world.pass(MINUTE);
    expect(atPanel(id)).toMatchObject({
      userId: owner,
      suspended: false,
      ports: ['a-25565'],
      resources: { memory: 512 },
      externalId: id,
    });
    await world.servers.reconcile();
    expect(await drift()).toEqual([]);
  });

  test('T27 a suspended server that is set free at the panel, or reinstalled there, is suspended again, even while it installs', async () => {
    const id = await up();
    await world.live(31 * DAY, 6 * HOUR);
    expect(atPanel(id)?.suspended).toBe(true);
    await panel.panel.reinstall('1');
    await world.servers.reconcile();
    await world.pass(1000);
    expect(atPanel(id)?.suspended).toBe(true);
  });

  for (const [call, fault] of [
    ['setBuild', 'refused'],
    ['setDetails', 'refused'],
    ['setBuild', 'conflict'],
  ] as const) {
    test(`T27 a change that the panel never takes (${call}, ${fault}) keeps no server from being suspended, or from coming back`, async () => {
      const id = await up();
      panel.panel.fail(fault, call, 100_000);
      await update(id, { memory: 600 }, 'Renamed');
      await world.pass(MINUTE);
      await world.suspendForBan(ctx);
      await world.pass(MINUTE);
      expect(atPanel(id)?.suspended).toBe(true);
      await world.resumeAfterBan(ctx);
      await world.pass(MINUTE);
      expect(atPanel(id)?.suspended).toBe(false);
      panel.panel.heal();
      await world.pass(HOUR);
      expect(atPanel(id)).toMatchObject({ name: 'Renamed', resources: { memory: 600 } });
    });
  }

  test('drift keeps when it was first seen, and goes when it is over; half a list changes nothing', async () => {
    const id = await up();
    const user = await panel.panel.ensureUser({
      externalId: 'x',
      username: 'x',
      email: 'x@example.test',
      firstName: 'x',
      lastName: 'x',
    });
    const foreign = {
      userId: user.outcome === 'ok' ? user.value : '',
      name: 'foreign',
      description: '',
      location: { id: 'l', name: 'l', address: 'l' },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: SMALL,
      environment: {},
    };
    await panel.panel.createServer({
      ...foreign,
      externalId: 'foreign',
      placement: { node: 'b', allocation: 'b-25565', additional: [] },
    });
    await world.pass(MINUTE);
    await panel.panel.deleteServer(atPanel(id) ? '1' : '');
    await world.servers.reconcile();
    const first = await drift();
    expect(first).toMatchObject([
      { kind: 'ghost', ref: '1' },
      { kind: 'orphan', ref: '2', detail: 'foreign' },
    ]);
    await world.pass(HOUR);
    panel.panel.fail('unavailable', 'listServers');
    await world.servers.reconcile();
    expect(await drift()).toEqual(first);
    await world.servers.reconcile();
    expect(await drift()).toMatchObject([{ kind: 'orphan', first_ms: first[1]?.first_ms, seen_ms: world.clock.now() }]);
    await panel.panel.deleteServer('2');
    await world.pass(MINUTE);
    await world.servers.reconcile();
    expect(await drift()).toEqual([]);
  });

  test('T26 a panel that is removed, disabled or silent proves nothing, and goes on where it was when it is back', async () => {
    const id = await up();
    panel.remove();
    await update(id, { memory: 1024 });
    await world.live(2 * DAY, 6 * HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'active', panelState: 'ready' });
    expect(atPanel(id)?.resources.memory).toBe(512);
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.pass(HOUR);
    expect((await world.row(id)).state).toBe('deleting');
    panel.restore();
    await world.pass(HOUR);
    expect([(await world.row(id)).state, panel.servers.size, await held()]).toEqual(['deleted', 0, []]);
  });

  test('unchanged servers cost one call a page and write nothing', async () => {
    await world.db.sql(
      'UPDATE user_limits SET slots = 1000, memory = 1000000, disk = 1000000, cpu = 1000000, ports = 1000',
    );
    for (let n = 0; n < 9; n += 1) await world.servers.create(ctx, serverInput());
    await world.pass(5 * MINUTE);
    panel.pages(3);
    panel.panel.calls.length = 0;
    const before = await world.db.sql('SELECT * FROM servers ORDER BY id');
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [], suspects: [], orphans: [] });
    expect(panel.panel.calls).toEqual(['listServers', 'listServers', 'listServers']);
    expect(await world.db.sql('SELECT * FROM servers ORDER BY id')).toEqual(before);
    expect(await drift()).toEqual([]);
  });
});

describe('two panels', () => {
  test('a server is never looked up at the other, though both have its number, and what carries its id there is an orphan', async () => {
    const other = await world.addPanel({ nodes: [{ id: 'o', ports: 8 }] });
    const [mine, theirs] = [await up(), await up({ locationId: other.location })];
    expect([await world.row(mine), await world.row(theirs)]).toMatchObject([
      { panel: panel.id, panelId: '1' },
      { panel: other.id, panelId: '1' },
    ]);
    other.panel.calls.length = 0;
    await update(mine, { memory: 600 });
    await world.pass(MINUTE);
    await world.servers.delete(ctx, mine, 'Lanternwood');
    await world.pass(5 * MINUTE);
    expect(other.panel.calls).toEqual([]);
    expect([panel.servers.size, other.servers.size]).toEqual([0, 1]);
    expect(await world.row(theirs)).toMatchObject({ state: 'active' });
    // A copy of a server of A that somebody put at B, with our id.
    const account = [...other.users.keys()][0] ?? '';
    const copy = {
      userId: account,
      name: 'copy',
      description: '',
      location: { id: '', name: '', address: '' },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: SMALL,
      environment: {},
    };
    await other.inner.createServer({
      ...copy,
      externalId: mine,
      placement: { node: 'o', allocation: 'o-25570', additional: [] },
    });
    expect((await world.servers.reconcile()).orphans).toMatchObject([{ externalId: mine, name: 'copy' }]);
    await world.pass(5 * MINUTE);
    expect(other.servers.size).toBe(2);
  });

  test('a panel that is down for a day does not touch the servers of the other', async () => {
    const other = await world.addPanel({ nodes: [{ id: 'o', ports: 8 }] });
    const [mine, theirs] = [await up(), await up({ locationId: other.location })];
    other.panel.fail('unavailable', undefined, 100_000);
    await update(mine, { memory: 600 });
    await update(theirs, { memory: 600 });
    await world.live(DAY, 6 * HOUR);
    expect([panel.servers.get(1)?.resources.memory, other.servers.get(1)?.resources.memory]).toEqual([600, 512]);
    expect(await world.row(theirs)).toMatchObject({ state: 'active' });
    other.panel.heal();
    await world.pass(HOUR);
    expect(other.servers.get(1)?.resources.memory).toBe(600);
  });
});
