import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { furnish, httpPanelOver } from '#tests/support/http-panel.ts';
import { openFakePanel, type FakePanel } from '#tests/support/panels/index.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.3.

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };

/** Answers that get lost while a server is changed, and what a panel keeps to itself. */
describe.each(['pterodactyl', 'pelican'] as const)('repairs at a panel, %s', (dialect) => {
  let world: ServersWorld;
  let fake: FakePanel;
  let ctx: SignedIn;
  let location: string;
  let panelId: string;
  let node: number;
  let egg: number;
  beforeEach(async () => {
    world = await serversWorld();
    fake = await openFakePanel({
      dialect,
      clock: world.clock,
      installMs: 8000,
      rateLimits: { application: 1_000_000, client: 1_000_000 },
    });
    const facts = furnish(fake, { ports: 20 });
    [node, egg] = [facts.node, facts.egg];
    const { panel, catalogue } = httpPanelOver(fake, { clock: world.clock, log: world.log });
    const joined = await world.joinPanel(
      { panel, catalogue, nodes: [String(node)], panelEgg: String(egg) },
      { panelLocation: dialect === 'pelican' ? 'fra' : String(facts.location) },
    );
    [location, panelId] = [joined.location, joined.id];
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
    ctx = await world.person();
  });
  afterEach(async () => {
    await fake.close();
    await world.close();
  });
  const up = () => world.upServer(ctx, { locationId: location });
  const at = (id: string) => [...fake.state.servers.values()].find((server) => server.externalId === id);
  const synced = async (id: string) => {
    const row = await world.row(id);
    return row.syncedRevision === row.revision;
  };
  const syncs = () => fake.state.daemonCalls.filter(({ path }) => path.endsWith('/sync')).length;

  test('P9 all three patches of a change whose answers get lost are there in seconds, not after pauses that add up', async () => {
    const id = await up();
    for (const part of ['details', 'build', 'startup']) fake.fail('lostAfter', { call: `PATCH /servers/*/${part}` });
    await world.servers.update(ctx, id, {
      name: 'Skyhold',
      description: '',
      resources: { ...SMALL, memory: 1024 },
      variables: { MOTD: 'again' },
    });
    await world.pass(2 * SECOND);
    expect(at(id)).toMatchObject({ name: 'Skyhold', memory: 1024 });
    expect([...(at(id)?.variables.values() ?? [])].at(-1)).toBe('again');
    expect(await synced(id)).toBe(true);
  });

  test('P9 patches that never arrive are sent again within one try', async () => {
    const id = await up();
    for (const part of ['details', 'build', 'startup']) fake.fail('lostBefore', { call: `PATCH /servers/*/${part}` });
    await world.servers.update(ctx, id, {
      name: 'Skyhold',
      description: '',
      resources: { ...SMALL, memory: 1024 },
      variables: { MOTD: 'again' },
    });
    await world.pass(2 * SECOND);
    expect([at(id)?.name, at(id)?.memory, await synced(id)]).toEqual(['Skyhold', 1024, true]);
  });

  test('T27 a limit of ports at the panel that is not what was bought is corrected', async () => {
    const id = await up();
    const found: { allocationLimit: number | null } | undefined = at(id);
    if (found) found.allocationLimit = 5;
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect(at(id)?.allocationLimit).toBe(1);
    const asked = fake.calls.length;
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect(fake.calls.length - asked).toBe(1);
  });

  test('a server that lost a port gets the next one that its node has free, though no event says so', async () => {
    const id = await world.upServer(ctx, { locationId: location, resources: { ...SMALL, ports: 2 } });
    const { state } = fake;
    const held = () => state.allocationsOfServer(at(id)?.id ?? 0).map((port) => port.id);
    // By hand: the second port of the server, and every free one, are given to servers of others.
    const [first = 0, second = 0] = held();
    const others = 99_999;
    for (const port of state.allocationsOfNode(node))
      if (port.id === second || port.serverId === null) state.assign(port.id, others);
    const drift = async () => {
      await world.servers.reconcile();
      await world.pass(HOUR);
      return (await world.db.sql<{ detail: string }>('SELECT detail FROM panel_drift')).map(({ detail }) => detail);
    };
    await drift();
    expect([held(), await drift()]).toEqual([[first], ['build']]);
    const [free] = state.allocationsOfServer(others);
    state.assign(free?.id ?? 0, null);
    await world.pass(HOUR);
    expect(held()).toEqual([first, free?.id ?? 0]);
    expect(await drift()).toEqual([]);
  });

  test.each(['suspend', 'unsuspend'] as const)(
    'P11 the machine is notified once more after an unclear %s, so that what it runs is what the panel says',
    async (command) => {
      const id = await up();
      const suspend = () => world.servers.staff.suspend(staff, id, 'A reason');
      const staff = await world.person({ permissions: ['admin.root'] });
      if (command === 'unsuspend') {
        await suspend();
        await world.pass(MINUTE);
      }
      // The machine is away for a moment: Pelican keeps the new status all the same.
      fake.setDaemon(node, 'refused');
      await (command === 'suspend' ? suspend() : world.servers.staff.unsuspend(staff, id));
      await world.pass(SECOND);
      const before = syncs();
      fake.setDaemon(node, 'up');
      await world.pass(MINUTE);
      expect(at(id)?.status).toBe(command === 'suspend' ? 'suspended' : null);
      expect(await synced(id)).toBe(true);
      expect(syncs()).toBe(before + 1);
    },
  );

  test('P11 an answer to a suspension that got lost on the way is looked up, and Pelican is notified once more', async () => {
    const id = await up();
    const staff = await world.person({ permissions: ['admin.root'] });
    fake.fail('lostAfter', { call: 'POST /servers/*/suspend' });
    await world.servers.staff.suspend(staff, id, 'A reason');
    const before = fake.asked().length;
    await world.pass(MINUTE);
    expect(at(id)?.status).toBe('suspended');
    expect(
      fake
        .asked()
        .slice(before)
        .filter((call) => call.includes('/build')),
    ).toHaveLength(dialect === 'pelican' ? 1 : 0);
    expect(at(id)).toMatchObject({ memory: 512 });
  });

  test('P9 an egg that vanished from its panel is not on sale there any more, and comes back with it', async () => {
    const seen = (refs: readonly string[]) =>
      world.uow.run((tx) =>
        tx.panels.saveOffers(
          panelId,
          'egg',
          refs.map((ref) => ({ kind: 'egg', ref, name: 'Paper', parent: null, body: {}, hash: 'h' })),
          world.clock.now(),
        ),
      );
    await seen([String(egg), '77']);
    await world.db.sql('UPDATE panel_offers SET taken_hash = hash');
    const availability = async () => {
      const { locations } = await world.servers.availability(ctx, {
        locationId: location,
        eggId: world.egg,
        memory: 512,
        disk: 512,
        ports: 1,
      });
      return locations.find(({ id }) => id === location);
    };
    expect(await availability()).toMatchObject({ available: true });
    world.clock.advance(1000);
    await seen(['77']);
    expect(await availability()).toMatchObject({ available: false, reason: 'EGG_UNAVAILABLE' });
    expect(await codeOf(world.servers.create(ctx, world.serverInput({ locationId: location })))).toBe(
      'EGG_UNAVAILABLE',
    );
    expect(await world.used(ctx)).toMatchObject({ slots: 0 });
    world.clock.advance(1000);
    await seen([String(egg), '77']);
    expect((await world.row(await up())).state).toBe('active');
  });

  test('P9 the moment of the last comparison moves when staff compare now', async () => {
    const last = async () =>
      (await world.servers.staff.drift({ sort: 'first', dir: 'asc', offset: 0, limit: 10 })).lastMs;
    await world.scheduler.tick();
    const before = await last();
    world.clock.advance(3 * MINUTE);
    await world.servers.staff.requestReconcile(await world.person({ permissions: ['admin.root'] }));
    await world.pass(SECOND);
    expect(await last()).toBe((before ?? 0) + 3 * MINUTE);
  });
});
