import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { FAULTS, type Fault, type PanelCall } from '#tests/support/faulty-panel.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.7.

type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
const WIDE = { ...SMALL, ports: 3 };

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
const promised = () => world.db.sql('SELECT * FROM capacity_reservations');
const atPanel = (id: string) => [...panel.servers.values()].find((server) => server.externalId === id);
const events = async (id: string) => (await world.servers.get(ctx, id)).activity.map((event) => event.code);
const update = (id: string, resources: Partial<typeof SMALL>, name = 'Lanternwood') =>
  world.servers.update(ctx, id, { name, description: '', resources: { ...SMALL, ...resources } });

describe('a server at a real panel', () => {
  test('a server is placed by us: node, default port and the further ports are given really, and the record and the panel agree', async () => {
    const id = await up({ resources: WIDE });
    expect(atPanel(id)).toMatchObject({
      node: 'a',
      ports: ['a-25565', 'a-25566', 'a-25567'],
      resources: { memory: 512 },
    });
    expect(await world.row(id)).toMatchObject({
      panel: panel.id,
      panelNode: 'a',
      panelIdentifier: 'id1',
      address: 'a.example.test:25565',
    });
    expect(await held()).toEqual(['a-25565', 'a-25566', 'a-25567']);
    expect(await world.steps(id)).toEqual([
      'queued',
      'reserved',
      'started',
      'userEnsured',
      'lookedUp',
      'created',
      'waiting',
      'installed',
    ]);
  });

  test('a creation costs at most four calls, and three once its owner is known there', async () => {
    await up();
    const first = panel.panel.calls.filter((call) => call !== 'newestServers');
    expect(first).toEqual(['ensureUser', 'findServerByExternalId', 'createServer']);
    panel.panel.calls.length = 0;
    const { id } = await world.servers.create(ctx, serverInput());
    await world.buildStep();
    world.clock.advance(8000);
    await world.buildStep();
    expect((await world.row(id)).state).toBe('active');
    expect(panel.panel.calls).toEqual(['findServerByExternalId', 'createServer', 'newestServers']);
  });

  test('spread puts the server where most is free, and pack where least is', async () => {
    const nodes = async (location: string) => {
      const made: (string | null)[] = [];
      for (let at = 0; at < 4; at += 1) made.push((await world.row(await up({ locationId: location }))).panelNode);
      return made;
    };
    expect(await nodes(panel.location)).toEqual(['a', 'b', 'a', 'b']);
    const packed = await world.addLocation({ panel: panel.id, panelLocation: '1', placement: 'pack' });
    expect(new Set(await nodes(packed)).size).toBe(1);
  });

  test('a tag of nodes stands in for a location', async () => {
    const tagged = await world.addPanel(
      {
        nodes: [
          { id: 'x', ports: 2, location: null, tags: ['eu'] },
          { id: 'y', ports: 2, location: null, tags: ['us'] },
        ],
      },
      { panelLocation: 'us' },
    );
    expect(await world.row(await up({ locationId: tagged.location }))).toMatchObject({
      panel: tagged.id,
      panelNode: 'y',
    });
  });

  test('T25 software that the panel does not have is refused before anything is reserved, and so is a panel that was turned off', async () => {
    const eggId = await world.addEgg();
    expect(await codeOf(world.servers.create(ctx, serverInput({ eggId })))).toBe('EGG_UNAVAILABLE');
    panel.remove();
    expect(await codeOf(world.servers.create(ctx, serverInput()))).toBe('LOCATION_UNAVAILABLE');
    expect([await held(), await promised(), await world.used(ctx)]).toEqual([
      [],
      [],
      expect.objectContaining({ slots: 0 }),
    ]);
  });
});

describe('T26 creating it while things go wrong', () => {
  const CALLS: readonly PanelCall[] = ['ensureUser', 'findServerByExternalId', 'createServer', 'readServer'];
  for (const call of CALLS) {
    for (const fault of FAULTS.filter((each) => each !== 'refused' && each !== 'hangs')) {
      test(`T26 ${call}: ${fault}; it ends in one server, with the ports the record says`, async () => {
        panel.panel.fail(fault, call);
        const { id } = await world.servers.create(ctx, serverInput({ resources: WIDE }));
        await world.pass(20_000);
        await panel.panel.release();
        await world.pass(10 * MINUTE);
        await world.servers.reconcile();
        await world.pass(10 * MINUTE);
        expect((await world.row(id)).state).toBe('active');
        expect([...panel.servers.values()].map((server) => server.externalId)).toEqual([id]);
        expect(await held()).toEqual(atPanel(id)?.ports ?? []);
        expect(atPanel(id)?.ports).toHaveLength(3);
        expect(await world.used(ctx)).toMatchObject({ slots: 1, memory: 512, ports: 3 });
      });
    }
  }

  for (const [call, fault, failure] of [
    ['createServer', 'lostAfter', null],
    ['createServer', 'lostBefore', 'panelUnavailable'],
    ['ensureUser', 'refused', 'panelRefused'],
    ['createServer', 'conflict', 'panelUnavailable'],
  ] as const satisfies readonly [PanelCall, Fault, string | null][]) {
    test(`T26 ${call}: always ${fault}; nothing stays reserved but what is there`, async () => {
      panel.panel.fail(fault, call, 1000);
      const { id } = await world.servers.create(ctx, serverInput({ resources: WIDE }));
      await world.pass(30 * MINUTE);
      panel.panel.heal();
      await world.pass(30 * MINUTE);
      expect(await world.row(id)).toMatchObject(
        failure === null ? { state: 'active' } : { state: 'failed', failure, desired: 'nothing' },
      );
      expect(await held()).toEqual(atPanel(id)?.ports ?? []);
      if (failure !== null) expect([await promised(), panel.servers.size]).toEqual([[], 0]);
    });
  }

  test('a port that somebody took at the panel is replaced by others, at once, and the log says so', async () => {
    panel.occupy('a-25566');
    const id = await up({ resources: WIDE });
    expect(atPanel(id)?.ports.includes('a-25566')).toBe(false);
    expect(await held()).toEqual(atPanel(id)?.ports ?? []);
    expect(await world.steps(id)).toContain('moved');
    const [taken] = await world.db.sql<{ assigned: number }>(
      "SELECT assigned FROM node_allocations WHERE allocation = 'a-25566'",
    );
    expect(taken).toEqual({ assigned: 1 });
  });

  test('a creation whose every port is taken at the panel fails for want of capacity, says so, and the record has learned', async () => {
    for (const node of ['a', 'b']) for (let port = 25_565; port < 25_573; port += 1) panel.occupy(`${node}-${port}`);
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(30 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', desired: 'nothing' });
    expect([await held(), await promised()]).toEqual([[], []]);
    expect(await world.mails(ctx)).toEqual(['serverFailed']);
    await panel.read('a');
    await panel.read('b');
    expect(await codeOf(world.servers.create(ctx, serverInput()))).toBe('LOCATION_FULL');
  });

  test('an account that is gone at the panel is made again, once', async () => {
    await up();
    panel.users.clear();
    const id = await up();
    expect((await world.row(id)).state).toBe('active');
    expect(panel.panel.calls.filter((call) => call === 'ensureUser')).toHaveLength(2);
    const [account] = await world.db.sql<{ account: string }>('SELECT account FROM panel_accounts');
    expect(atPanel(id)?.userId).toBe(account?.account);
  });

  test('T28 an account with the address of somebody else is never taken: the build fails and says why', async () => {
    const [user] = await world.db.sql<{ email: string }>('SELECT email FROM users WHERE id = ?', [ctx.actor.userId]);
    await panel.panel.ensureUser({
      externalId: 'attacker',
      username: 'mallory',
      email: user?.email ?? '',
      firstName: 'M',
      lastName: 'M',
    });
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', desired: 'nothing' });
    expect([panel.servers.size, await held(), await world.db.sql('SELECT * FROM panel_accounts')]).toEqual([0, [], []]);
  });

  test('T26 a panel that is silent keeps no other panel’s queue waiting', async () => {
    const other = await world.addPanel({ nodes: [{ id: 'o', ports: 50, memory: 100_000 }] });
    const busy = await world.person({
      limits: { memory: 100_000, disk: 100_000, slots: 100, cpu: 10_000, ports: 100 },
    });
    const crowded = await world.addPanel({ nodes: [{ id: 'c', ports: 50, memory: 100_000 }] });
    for (let n = 0; n < 40; n += 1) await world.servers.create(busy, serverInput({ locationId: crowded.location }));
    crowded.panel.fail('unavailable', 'readServer', 100_000);
    await world.pass(30_000);
    const id = await up({ locationId: other.location });
    expect((await world.row(id)).state).toBe('active');
    // Half an hour of silence is no failed installation.
    await world.pass(40 * MINUTE);
    crowded.panel.heal();
    await world.pass(5 * MINUTE);
    expect(await world.db.sql("SELECT id FROM servers WHERE state <> 'active'")).toEqual([]);
  });
});

describe('changing it', () => {
  test('more ports are given and taken really, by both records, and less capacity is returned', async () => {
    const id = await up();
    await update(id, { ports: 3, memory: 1024 });
    expect(await held()).toHaveLength(3);
    await world.pass(MINUTE);
    expect(atPanel(id)).toMatchObject({ ports: ['a-25565', 'a-25566', 'a-25567'], resources: { memory: 1024 } });
    await update(id, { ports: 1 });
    await world.pass(MINUTE);
    expect([atPanel(id)?.ports, await held()]).toEqual([['a-25565'], ['a-25565']]);
    expect(await world.row(id)).toMatchObject({ address: 'a.example.test:25565' });
    expect((await world.servers.reconcile()).repaired).toEqual([]);
  });

  test('T26 a port that the panel leaves out without a word is replaced by another', async () => {
    const id = await up();
    panel.occupy('a-25566');
    await update(id, { ports: 2 });
    await world.pass(5 * MINUTE);
    expect([atPanel(id)?.ports, await held()]).toEqual([
      ['a-25565', 'a-25567'],
      ['a-25565', 'a-25567'],
    ]);
  });

  test('ports that others took, where the node has no more, are kept as wanted, shown, and given when there are some', async () => {
    const id = await up();
    for (let port = 25_566; port < 25_573; port += 1) panel.occupy(`a-${port}`);
    await update(id, { ports: 3 });
    await world.pass(10 * MINUTE);
    expect([atPanel(id)?.ports, await held()]).toEqual([['a-25565'], ['a-25565']]);
    expect(await events(id)).toContain('syncRefused');
    panel.taken.delete('a-25570');
    panel.taken.delete('a-25571');
    await panel.read('a');
    await world.pass(HOUR);
    expect([atPanel(id)?.ports, await held()]).toEqual([
      ['a-25565', 'a-25570', 'a-25571'],
      ['a-25565', 'a-25570', 'a-25571'],
    ]);
    expect((await world.servers.reconcile()).repaired).toEqual([]);
  });

  test('a change to more than its node has is refused, before anything is changed', async () => {
    const id = await up();
    await world.db.sql('UPDATE user_limits SET memory = 100000, ports = 100');
    expect(await codeOf(update(id, { memory: 9000 }))).toBe('LOCATION_FULL');
    expect(await codeOf(update(id, { ports: 9 }))).toBe('LOCATION_FULL');
    expect([await held(), (await world.row(id)).resources]).toEqual([['a-25565'], SMALL]);
  });

  test('variables follow when they are changed here, and only then', async () => {
    const eggId = await world.addEgg({
      variables: [
        {
          env: 'MOTD',
          name: 'Message',
          description: '',
          default_value: 'hi',
          rules: 'string|max:20',
          user_editable: true,
        },
      ],
    });
    await panel.bind(eggId);
    const id = await up({ eggId, variables: { MOTD: 'first' } });
    await update(id, {}, 'Renamed');
    await world.pass(MINUTE);
    expect(panel.panel.calls).not.toContain('setStartup');
    await world.servers.update(ctx, id, {
      name: 'Renamed',
      description: '',
      resources: SMALL,
      variables: { MOTD: 'second' },
    });
    await world.pass(MINUTE);
    expect(atPanel(id)?.environment).toEqual({ MOTD: 'second' });
    await update(id, { memory: 600 }, 'Renamed');
    await world.pass(MINUTE);
    expect(panel.panel.calls.filter((call) => call === 'setStartup')).toHaveLength(1);
  });

  for (const fault of ['lostAfter', 'lostBefore', 'unavailable'] as const) {
    test(`T27 a server reinstalled while suspended, with an answer ${fault}, is suspended again`, async () => {
      const id = await up();
      await world.servers.reinstall(ctx, id);
      await world.suspendForBan(ctx);
      panel.panel.fail(fault, 'reinstall');
      await world.pass(5 * MINUTE);
      expect(atPanel(id)?.suspended).toBe(true);
      expect(atPanel(id)?.reinstalls).toBe(1);
      expect(await world.row(id)).toMatchObject({ state: 'suspended', reinstallMs: null });
      expect(await events(id)).toEqual(expect.arrayContaining(['reinstalling', 'reinstalled']));
    });
  }

  test('a reinstall is asked for once, and only of a server in use', async () => {
    const id = await up();
    await world.servers.reinstall(ctx, id);
    await world.servers.reinstall(ctx, id);
    await world.pass(5 * MINUTE);
    expect(atPanel(id)?.reinstalls).toBe(1);
    await world.servers.delete(ctx, id, 'Lanternwood');
    expect(await codeOf(world.servers.reinstall(ctx, id))).toBe('SERVER_BUSY');
    expect(await codeOf(world.servers.reinstall(await world.person(), id))).toBe('NOT_FOUND');
  });

  test('address and names of its owner follow to the panel at once where the change says so', async () => {
    await up();
    await world.db.sql("UPDATE users SET first_name = 'Grace' WHERE id = ?", [ctx.actor.userId]);
    await world.uow.run((tx) => world.deps.events.emit(tx, 'user.renamed', { userId: ctx.actor.userId }));
    await world.runner.runDue();
    expect([...panel.users.values()]).toMatchObject([{ firstName: 'Grace', externalId: ctx.actor.userId }]);
  });

  test('address and names of its owner follow to the panel, found by the sweep, and a refusal is not asked again', async () => {
    await up();
    await world.servers.enqueueStaleAccounts();
    await world.runner.runDue();
    panel.panel.calls.length = 0;
    expect(await world.servers.enqueueStaleAccounts()).toBe(0);
    await world.db.sql("UPDATE users SET email = 'new@example.test', first_name = 'Grace' WHERE id = ?", [
      ctx.actor.userId,
    ]);
    expect(await world.servers.enqueueStaleAccounts()).toBe(1);
    await world.runner.runDue();
    expect([...panel.users.values()]).toMatchObject([
      { email: 'new@example.test', firstName: 'Grace', externalId: ctx.actor.userId },
    ]);
    panel.panel.fail('refused', 'updateUser', 100);
    await world.db.sql("UPDATE users SET email = 'third@example.test' WHERE id = ?", [ctx.actor.userId]);
    for (let at = 0; at < 3; at += 1) {
      await world.servers.enqueueStaleAccounts();
      await world.pass(HOUR);
    }
    expect(panel.panel.calls).toEqual(['updateUser', 'updateUser']);
  });
});

describe('removing it', () => {
  test('a deletion at a machine that does not answer goes on trying, says so, keeps its ports, and staff can force it', async () => {
    const id = await up();
    panel.panel.fail('unavailable', 'deleteServer', 100_000);
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.pass(HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'deleting' });
    expect((await events(id)).filter((code) => code === 'deleteWaits')).toHaveLength(1);
    expect(await held()).toEqual(['a-25565']);
    const { deleteServer } = panel.panel;
    const forced: boolean[] = [];
    Object.assign(panel.panel, {
      deleteServer: (panelId: string, force = false) => {
        forced.push(force);
        if (force) panel.panel.heal();
        return deleteServer(panelId, force);
      },
    });
    await world.servers.staff.remove(await world.person({ permissions: ['admin.servers.delete'] }), id, {
      name: 'Lanternwood',
      force: true,
    });
    await world.pass(MINUTE);
    expect(forced).toContain(true);
    expect(await world.row(id)).toMatchObject({ state: 'deleted' });
    expect([await held(), await promised(), panel.servers.size]).toEqual([[], [], 0]);
  });
});
