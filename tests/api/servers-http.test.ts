import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { furnish, httpPanelOver } from '#tests/support/http-panel.ts';
import { FAULT_KINDS, openFakePanel, type FakePanel } from '#tests/support/panels/index.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
const WIDE = { ...SMALL, ports: 3 };

/**
 * The product's servers over the product's adapters, on the panel that speaks HTTP: what the wire does to the life of a
 * server.
 */
describe.each(['pterodactyl', 'pelican'] as const)('servers over HTTP, %s', (dialect) => {
  let world: ServersWorld;
  let fake: FakePanel;
  let ctx: SignedIn;
  let location: string;
  let node: number;
  let read: () => Promise<void>;
  beforeEach(async () => {
    world = await serversWorld();
    fake = await openFakePanel({
      dialect,
      clock: world.clock,
      installMs: 8000,
      rateLimits: { application: 1_000_000, client: 1_000_000 },
    });
    const facts = furnish(fake, { ports: 20 });
    node = facts.node;
    const { panel, catalogue } = httpPanelOver(fake, { clock: world.clock, log: world.log });
    const joined = await world.joinPanel(
      { panel, catalogue, nodes: [String(node)], panelEgg: String(facts.egg) },
      { panelLocation: dialect === 'pelican' ? 'fra' : String(facts.location) },
    );
    location = joined.location;
    read = () => joined.read(String(node));
    await world.db.sql('UPDATE eggs SET variables = ?', [
      JSON.stringify([
        {
          env: 'SERVER_JARFILE',
          name: 'Jar',
          description: '',
          default_value: 'server.jar',
          rules: 'required|string',
          user_editable: true,
        },
        {
          env: 'MOTD',
          name: 'Message',
          description: '',
          default_value: '',
          rules: 'nullable|string|max:20',
          user_editable: true,
        },
      ]),
    ]);
    ctx = await world.person({ credits: 100 });
  });
  afterEach(async () => {
    await fake.close();
    await world.close();
  });

  const serverInput = (facts: Parameters<ServersWorld['serverInput']>[0] = {}) =>
    world.serverInput({ locationId: location, ...facts });
  const up = (facts: Parameters<ServersWorld['serverInput']>[0] = {}) =>
    world.upServer(ctx, { locationId: location, ...facts });
  const held = async (id: string) =>
    (await world.uow.read((tx) => tx.capacity.allocationsOf(id))).map((port) => port.allocation);
  const at = (id: string) => [...fake.state.servers.values()].find((server) => server.externalId === id);
  const portsAt = (id: string) =>
    [...fake.state.allocations.values()].filter((row) => row.serverId === at(id)?.id).map((row) => String(row.id));
  const update = (
    id: string,
    resources: Partial<typeof SMALL>,
    more: { name?: string; variables?: Record<string, string> } = {},
  ) =>
    world.servers.update(ctx, id, {
      name: more.name ?? 'Lanternwood',
      description: 'A hall',
      resources: { ...SMALL, ...resources },
      ...(more.variables ? { variables: more.variables } : {}),
    });
  const expectAgreement = async (id: string) => {
    expect((await held(id)).toSorted()).toEqual(portsAt(id).toSorted());
    await world.pass(1000);
    await read();
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [], suspects: [], orphans: [] });
  };

  test('a whole life takes as many calls as it needs', async () => {
    await up();
    const before = fake.asked().length;
    const { id } = await world.servers.create(ctx, serverInput({ resources: WIDE, variables: { MOTD: 'hello' } }));
    await world.buildStep();
    world.clock.advance(10_000);
    await world.buildStep();
    expect((await world.row(id)).state).toBe('active');
    expect(fake.asked().length - before).toBeLessThanOrEqual(4);
    expect(portsAt(id)).toHaveLength(3);
    await update(id, { ports: 2, memory: 1024 }, { name: 'Skyhold', variables: { MOTD: 'again' } });
    await world.pass(MINUTE);
    expect(at(id)).toMatchObject({ name: 'Skyhold', description: 'A hall', externalId: id, memory: 1024 });
    expect([...(at(id)?.variables.values() ?? [])]).toEqual(['server.jar', 'again']);
    expect(portsAt(id)).toHaveLength(2);
    await expectAgreement(id);
    await world.servers.delete(ctx, id, 'Skyhold');
    await world.pass(MINUTE);
    expect([(await world.row(id)).state, at(id), await held(id)]).toEqual(['deleted', undefined, []]);
  });

  const CALLS = ['POST /users', 'GET /servers/external/*', 'POST /servers', 'GET /servers/*'];
  for (const call of CALLS) {
    for (const kind of FAULT_KINDS.filter((each) => each !== 'hang' && each !== 'slowBody')) {
      test(`T26 ${call} goes wrong: ${kind}; it ends in one server, and both records agree`, async () => {
        fake.fail(kind, { call });
        const { id } = await world.servers.create(ctx, serverInput({ resources: WIDE }));
        await world.pass(20_000);
        await fake.release();
        await world.pass(10 * MINUTE);
        expect((await world.row(id)).state).toBe('active');
        expect(fake.state.servers.size).toBe(1);
        await expectAgreement(id);
      });
    }
  }

  test('P2 a server waits while its machine is down, and is made when it is back', async () => {
    fake.setDaemon(node, 'refused');
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'queued', failure: null });
    expect((await world.servers.get(ctx, id)).server.queue).toMatchObject({
      attempts: 0,
      estimateMs: null,
      waiting: { cause: 'node' },
    });
    fake.setDaemon(node, 'up');
    await world.pass(10 * MINUTE);
    expect((await world.row(id)).state).toBe('active');
    expect(fake.state.servers.size).toBe(1);
    await expectAgreement(id);
  });

  test('T26 a creation whose machine stays down is given up by the setting, nothing is left at the panel, and nothing promised', async () => {
    await world.settings.set(null, { queue_give_up_hours: 2 });
    fake.setDaemon(node, 'refused');
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(2 * HOUR - MINUTE);
    expect((await world.row(id)).state).toBe('queued');
    await world.pass(5 * MINUTE);
    fake.setDaemon(node, 'up');
    await world.pass(2 * HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'nodeAway', desired: 'nothing' });
    expect([
      fake.state.servers.size,
      await held(id),
      await world.db.sql('SELECT * FROM capacity_reservations'),
    ]).toEqual([0, [], []]);
  });

  test('T26 a machine that is down keeps a deletion waiting, and staff can force it', async () => {
    const id = await up();
    fake.setDaemon(node, 'refused');
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.pass(HOUR);
    expect((await world.row(id)).state).toBe('deleting');
    expect(await held(id)).toHaveLength(1);
    await world.servers.staff.remove(await world.person({ permissions: ['admin.servers.delete'] }), id, {
      name: 'Lanternwood',
      force: true,
    });
    await world.pass(20 * MINUTE);
    expect([(await world.row(id)).state, fake.state.servers.size, await held(id)]).toEqual(['deleted', 0, []]);
  });

  test('T27 a reinstall of a suspended server, which lifts it, ends suspended again', async () => {
    const id = await up();
    await world.servers.reinstall(ctx, id);
    await world.suspendForBan(ctx);
    await world.pass(5 * MINUTE);
    expect(fake.asked().filter((call) => call.endsWith('/reinstall'))).toHaveLength(1);
    expect(at(id)?.status).toBe('suspended');
    await world.resumeAfterBan(ctx);
    await world.pass(5 * MINUTE);
    expect(at(id)?.status).toBeNull();
  });

  test('T27 a server changed by hand at the panel is corrected: owner, id, name, limits, a port of another', async () => {
    const id = await up();
    const row = at(id);
    const other = fake.addUser({ externalId: 'somebody' });
    const owner = row?.ownerId;
    const extra = [...fake.state.allocations.values()].find((port) => port.serverId === null);
    Object.assign(row ?? {}, { ownerId: other.id, name: 'hacked', memory: 0, status: 'suspended' });
    if (extra && row) fake.state.assign(extra.id, row.id);
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect(at(id)).toMatchObject({ ownerId: owner, name: 'Lanternwood', memory: 512, status: null });
    await expectAgreement(id);
  });

  test('T28 an account with the owner’s address that is not ours is not taken', async () => {
    const [user] = await world.db.sql<{ email: string }>('SELECT email FROM users WHERE id = ?', [ctx.actor.userId]);
    fake.addUser({ email: user?.email ?? '', externalId: null });
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'accountTaken', desired: 'nothing' });
    expect([fake.state.servers.size, await held(id)]).toEqual([0, []]);
  });

  test('T26 a key that was taken away is no reason to fail while it may be given back', async () => {
    const keys = new Map(fake.state.keys);
    fake.state.keys.clear();
    const { id } = await world.servers.create(ctx, serverInput());
    await world.pass(20_000);
    expect((await world.row(id)).state).toBe('queued');
    for (const [token, row] of keys) fake.state.keys.set(token, row);
    await world.pass(10 * MINUTE);
    expect((await world.row(id)).state).toBe('active');
  });
});
