import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServerPage } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Permission } from '#shared/permissions.ts';
import { furnish, httpPanelOver } from '#tests/support/http-panel.ts';
import { openFakePanel, type FakePanel } from '#tests/support/panels/index.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

/**
 * What becomes of those who wait while a panel, a machine of it or its key is away: over HTTP, with the product's own
 * adapter.
 */
describe.each(['pterodactyl', 'pelican'] as const)('outages, %s', (dialect) => {
  let world: ServersWorld;
  let fake: FakePanel;
  let location: string;
  let panelId: string;
  let node: number;
  let people: SignedIn[];
  beforeEach(async () => {
    world = await serversWorld();
    fake = await openFakePanel({
      dialect,
      clock: world.clock,
      installMs: 8000,
      rateLimits: { application: 1_000_000, client: 1_000_000 },
    });
    const facts = furnish(fake, { ports: 40 });
    node = facts.node;
    const { panel, catalogue } = httpPanelOver(fake, { clock: world.clock, log: world.log });
    const joined = await world.joinPanel(
      { panel, catalogue, nodes: [String(node)], panelEgg: String(facts.egg) },
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
      ]),
    ]);
    people = [];
    for (let at = 0; at < 8; at += 1) people.push(await world.person());
  });
  afterEach(async () => {
    await fake.close();
    await world.close();
  });

  const serverInput = (facts: Parameters<ServersWorld['serverInput']>[0] = {}) =>
    world.serverInput({ locationId: location, ...facts });
  /** A server of each of the people, all asked for at once. */
  const crowd = async () =>
    Promise.all(people.map(async (ctx) => ({ ctx, id: (await world.servers.create(ctx, serverInput())).id })));
  const states = () =>
    world.db.sql<{ state: string; n: number }>(
      'SELECT state, COUNT(*) AS n FROM servers GROUP BY state ORDER BY state',
    );
  const queueOf = async ({ ctx, id }: { ctx: SignedIn; id: string }) =>
    presentServerPage(await world.servers.get(ctx, id)).server.queue;
  const outages = () => world.db.sql('SELECT panel, node, cause FROM panel_outages');
  /** Somebody who sees panels, and what the bell says to them. */
  async function staffMember(permission: Permission = 'admin.panels.list') {
    const staff = await world.person();
    const role = {
      id: world.ids.uuid(),
      key: null,
      name: `Staff ${permission}`,
      color: '#888888',
      rank: 5,
      isDefault: false,
      createdMs: 0,
    };
    await world.uow.run(async (tx) => void (await tx.access.add(role, [permission])));
    await world.db.sql('UPDATE users SET role_id = ? WHERE id = ?', [role.id, staff.actor.userId]);
    return staff;
  }

  test('P2 an outage of minutes fails nobody, costs no try, and everything goes on by itself', async () => {
    await fake.stopListening();
    const all = await crowd();
    await world.pass(190 * SECOND);
    expect(await states()).toEqual([{ state: 'queued', n: 8 }]);
    for (const each of all) {
      const queue = await queueOf(each);
      expect(queue).toMatchObject({
        state: 'queued',
        attempts: 0,
        estimate_s: null,
        position: null,
        can_cancel: true,
        waiting: { cause: 'panel' },
      });
      expect(Date.parse(queue?.waiting?.since ?? '')).toBeLessThanOrEqual(world.clock.now() - 180 * SECOND);
    }
    expect(
      presentServerPage(await world.servers.get(all[0]?.ctx ?? (people[0] as SignedIn), all[0]?.id ?? '')).server
        .progress,
    ).toBeNull();
    // One of them asks, the others wait: no storm of calls or of lines in their logs.
    const logged = await world.db.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM server_queue_log WHERE code IN ('started', 'postponed', 'retry')",
    );
    expect(logged[0]?.n).toBeLessThanOrEqual(16);
    const noted = await world.db.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM server_queue_log WHERE code = 'postponed' GROUP BY server_id",
    );
    expect(new Set(noted.map(({ n }) => n))).toEqual(new Set([1]));
    fake.listenAgain();
    await world.pass(5 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', n: 8 }]);
    expect([fake.state.servers.size, await outages()]).toEqual([8, []]);
    for (const { ctx } of all) expect(await world.mails(ctx)).toEqual(['serverReady']);
  });

  test('P2 a panel whose proxy answers in its place, and one that is away for half the creations, fail nobody either', async () => {
    fake.fail('html', { status: 502, times: Infinity });
    await crowd();
    await world.pass(10 * MINUTE);
    expect(await states()).toEqual([{ state: 'queued', n: 8 }]);
    fake.heal();
    fake.fail('status', { call: 'POST /users', times: 3 });
    await world.pass(10 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', n: 8 }]);
    expect(fake.state.servers.size).toBe(8);
  });

  test('P2 creations of others wait while the circuit is open, and are made when it closes', async () => {
    const up = await world.upServer(people[0] as SignedIn, { locationId: location });
    const row = await world.row(up);
    fake.fail('status', { status: 500, times: Infinity, call: 'POST /servers/*' });
    const panel = world.deps.panels.find(panelId);
    for (let at = 0; at < 6; at += 1) await panel?.suspend(row.panelId ?? '');
    fake.heal();
    expect(world.deps.panels.findCatalogue(panelId)?.health().circuit).toBe('open');
    const { id } = await world.servers.create(people[1] as SignedIn, serverInput());
    await world.buildAll();
    expect(await queueOf({ ctx: people[1] as SignedIn, id })).toMatchObject({
      attempts: 0,
      waiting: { cause: 'panel' },
    });
    await world.pass(2 * MINUTE);
    expect((await world.row(id)).state).toBe('active');
  });

  test('P2 one dead machine stops its own servers only, and new ones are put elsewhere', async () => {
    const pelican = dialect === 'pelican';
    const second = fake.addNode({
      locationId: pelican ? null : 1,
      tags: pelican ? ['fra'] : [],
      memory: 4_194_304,
      disk: 41_943_040,
    }).id;
    fake.addAllocations(second, { ip: '192.0.2.11', ports: Array.from({ length: 10 }, (_, at) => 30_000 + at) });
    await world.servers.refreshCapacity(panelId, String(second));
    const first = await crowd();
    const away = (await world.row(first[0]?.id ?? '')).panelNode;
    fake.setDaemon(Number(away), 'refused');
    await world.pass(MINUTE);
    for (const each of first) {
      const row = await world.row(each.id);
      expect(row.state).toBe(row.panelNode === away ? 'queued' : 'active');
      if (row.panelNode === away)
        expect(await queueOf(each)).toMatchObject({ waiting: { cause: 'node' }, attempts: 0 });
    }
    const { id } = await world.servers.create(people[1] as SignedIn, serverInput());
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({
      state: 'active',
      panelNode: [String(node), String(second)].find((each) => each !== away),
    });
    fake.setDaemon(Number(away), 'up');
    await world.pass(5 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', n: 9 }]);
    expect([fake.state.servers.size, await outages()]).toEqual([9, []]);
  });

  test('P2 a key that was revoked is named truly, costs nothing, and its return is noticed', async () => {
    const keys = new Map(fake.state.keys);
    fake.state.keys.clear();
    const all = await crowd();
    await world.pass(2 * HOUR);
    expect(await states()).toEqual([{ state: 'queued', n: 8 }]);
    expect(await queueOf(all[3] as (typeof all)[number])).toMatchObject({ waiting: { cause: 'key' } });
    for (const [token, row] of keys) fake.state.keys.set(token, row);
    await world.pass(5 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', n: 8 }]);
  });

  test('P2 an entry that waits for too long is given up by the setting, those that were never tried as well, and says why', async () => {
    await world.settings.set(null, { queue_give_up_hours: 3 });
    await fake.stopListening();
    const all = await crowd();
    await world.pass(3 * HOUR - 2 * MINUTE);
    await world.servers.checkOutages();
    expect(await states()).toEqual([{ state: 'queued', n: 8 }]);
    const { id: late } = await world.servers.create(people[0] as SignedIn, serverInput());
    await world.pass(5 * MINUTE);
    await world.servers.checkOutages();
    for (const { ctx, id } of all) {
      expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'panelAway', desired: 'nothing' });
      expect(await world.mails(ctx)).toEqual(['serverFailed']);
    }
    // One that came later waits for as long.
    expect((await world.row(late)).state).toBe('queued');
    expect(await world.db.sql('SELECT server_id FROM capacity_reservations')).toEqual([{ server_id: late }]);
    expect(await world.used(people[3] as SignedIn)).toMatchObject({ slots: 0, memory: 0 });
    fake.listenAgain();
    await world.pass(5 * MINUTE);
    expect((await world.row(late)).state).toBe('active');
    expect(fake.state.servers.size).toBe(1);
  });

  test('P2 a waiting server can be cancelled, and what the panel may have made of it is looked up and removed', async () => {
    fake.fail('lostAfter', { call: 'POST /servers', times: 1 });
    const [first, second] = [
      await world.servers.create(people[0] as SignedIn, serverInput()),
      await world.servers.create(people[1] as SignedIn, serverInput()),
    ];
    await world.buildAll();
    await fake.stopListening();
    await world.pass(MINUTE);
    for (const [at, { id }] of [first, second].entries()) {
      const row = await world.row(id);
      if (row.state === 'queued') await world.servers.cancel(people[at] as SignedIn, id);
    }
    expect((await world.row(first.id)).state).toBe('deleted');
    expect(await world.used(people[0] as SignedIn)).toMatchObject({ slots: 0 });
    fake.listenAgain();
    await world.pass(30 * MINUTE);
    expect([...fake.state.servers.values()].filter((server) => server.externalId === first.id)).toEqual([]);
    expect(await world.uow.read((tx) => tx.capacity.allocationsOf(first.id))).toEqual([]);
  });

  test('P2 an installation that goes on while the panel is away has its time once the panel is back', async () => {
    const { id } = await world.servers.create(people[0] as SignedIn, serverInput());
    await world.buildAll();
    const row = fake.state.servers.values().next().value;
    await fake.stopListening();
    await world.pass(HOUR);
    expect((await world.row(id)).state).toBe('installing');
    expect(await queueOf({ ctx: people[0] as SignedIn, id })).toMatchObject({
      waiting: { cause: 'panel' },
      estimate_s: null,
    });
    // Its machine could not tell the panel that it had ended.
    if (row) row.installingSinceMs = world.clock.now() + 20 * MINUTE;
    fake.listenAgain();
    await world.pass(2 * MINUTE);
    expect((await world.row(id)).state).not.toBe('failed');
  });

  test('P5 staff who see panels are notified once of an outage and once of its end, and nobody else is', async () => {
    const [staff, root] = [await staffMember(), await staffMember('admin.root')];
    const other = await staffMember('admin.users.list');
    await fake.stopListening();
    await crowd();
    for (let at = 0; at < 10; at += 1) {
      await world.pass(MINUTE);
      await world.servers.checkOutages();
    }
    expect(await world.notices(staff)).toEqual(['panelAway']);
    fake.listenAgain();
    await world.pass(3 * MINUTE);
    await world.servers.checkOutages();
    expect(await world.notices(staff)).toEqual(['panelAway', 'panelBack']);
    expect(await world.notices(root)).toEqual(['panelAway', 'panelBack']);
    expect(await world.notices(other)).toEqual([]);
    const data = await world.db.sql<{ data: string }>("SELECT data FROM notifications WHERE kind = 'panelAway'");
    expect(data[0]?.data).toContain('"panel":"panel ');
  });

  test('P5 a revoked key is noticed without anybody creating a server, named on the overview, and its return as well', async () => {
    const staff = await staffMember();
    const keys = new Map(fake.state.keys);
    fake.state.keys.clear();
    await world.servers.reconcile();
    await world.servers.checkOutages();
    expect(await world.notices(staff)).toEqual(['panelKey']);
    expect(await world.uow.read((tx) => tx.overview.outages())).toMatchObject([
      { panelId, node: null, cause: 'key', reason: 'key', waiting: 0 },
    ]);
    for (const [token, row] of keys) fake.state.keys.set(token, row);
    world.clock.advance(2 * MINUTE);
    await world.servers.checkOutages();
    expect(await world.notices(staff)).toEqual(['panelKey', 'panelBack']);
    expect(await outages()).toEqual([]);
  });

  test('P2 servers of a disabled panel wait and notify nobody, and a panel whose key cannot be opened notifies staff', async () => {
    const staff = await staffMember();
    const entry = world.others.splice(0, 1);
    await world.db.sql('UPDATE panels SET enabled = 0');
    const made = await world.servers.create(people[0] as SignedIn, serverInput()).then(
      () => 'made',
      (error: unknown) => String((error as { code?: string }).code),
    );
    expect(made).toBe('LOCATION_UNAVAILABLE');
    await world.db.sql('UPDATE panels SET enabled = 1');
    world.others.push(...entry);
    const { id } = await world.servers.create(people[0] as SignedIn, serverInput());
    world.others.splice(0, 1);
    await world.db.sql('UPDATE panels SET enabled = 0');
    await world.pass(5 * MINUTE);
    await world.servers.checkOutages();
    expect(await queueOf({ ctx: people[0] as SignedIn, id })).toMatchObject({ waiting: { cause: 'off' } });
    expect(await world.notices(staff)).toEqual([]);
    await world.db.sql('UPDATE panels SET enabled = 1');
    await world.pass(3 * MINUTE);
    await world.servers.checkOutages();
    expect(await queueOf({ ctx: people[0] as SignedIn, id })).toMatchObject({ waiting: { cause: 'key' } });
    expect(await world.notices(staff)).toEqual(['panelKey']);
    world.others.push(...entry);
    await world.pass(3 * MINUTE);
    expect((await world.row(id)).state).toBe('active');
  });

  test('P5 a missing right is named, and its return noticed by asking for that right', async () => {
    const staff = await staffMember();
    const token = fake.applicationKey;
    const row = fake.state.keys.get(token);
    const rights = row?.rights;
    if (row)
      Object.assign(row, {
        rights: { servers: 3, users: 1, nodes: 1, allocations: 1, locations: 1, nests: 1, eggs: 1 },
      });
    const { id } = await world.servers.create(people[0] as SignedIn, serverInput());
    await world.pass(MINUTE);
    await world.servers.checkOutages();
    expect(await world.uow.read((tx) => tx.overview.outages())).toMatchObject([
      { cause: 'key', reason: 'right:users', waiting: 1 },
    ]);
    expect(await world.notices(staff)).toEqual(['panelKey']);
    if (row) Object.assign(row, { rights });
    await world.pass(3 * MINUTE);
    expect((await world.row(id)).state).toBe('active');
    expect(await world.notices(staff)).toEqual(['panelKey', 'panelBack']);
  });

  test('P5 a failed entry shows staff why in the list of the queue', async () => {
    await world.settings.set(null, { queue_give_up_hours: 1 });
    await fake.stopListening();
    await world.servers.create(people[0] as SignedIn, serverInput());
    await world.pass(MINUTE);
    const list = () => world.servers.staff.queue({ dir: 'desc', offset: 0, limit: 10 });
    expect((await list()).rows[0]).toMatchObject({ state: 'queued', waiting: { cause: 'panel' } });
    await world.pass(HOUR + 5 * MINUTE);
    expect((await list()).rows[0]).toMatchObject({ state: 'failed', lastError: 'panelAway', waiting: null });
  });

  test('P9 maintenance of a machine is respected at once: what was placed there goes elsewhere, or waits', async () => {
    const row = fake.state.nodes.get(node);
    const { id } = await world.servers.create(people[0] as SignedIn, serverInput());
    if (row) row.maintenance = true;
    world.clock.advance(MINUTE);
    await world.pass(2 * MINUTE);
    expect((await world.row(id)).state).toBe('queued');
    expect(await queueOf({ ctx: people[0] as SignedIn, id })).toMatchObject({
      waiting: { cause: 'maintenance' },
      attempts: 0,
    });
    expect(fake.asked()).not.toContain('POST /servers');
    const pelican = dialect === 'pelican';
    const second = fake.addNode({
      locationId: pelican ? null : 1,
      tags: pelican ? ['fra'] : [],
      memory: 4_194_304,
      disk: 41_943_040,
    }).id;
    fake.addAllocations(second, { ip: '192.0.2.11', ports: [30_000, 30_001] });
    await world.servers.refreshCapacity(panelId, String(second));
    await world.pass(3 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'active', panelNode: String(second) });
    expect((await world.uow.read((tx) => tx.capacity.allocationsOf(id))).map((port) => port.node)).toEqual([
      String(second),
    ]);
  });
});
