import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { SERVER_JOBS } from '#server/modules/servers/index.ts';
import { syncPauseMs } from '#server/modules/servers/core/policy.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { furnish, httpPanelOver } from '#tests/support/http-panel.ts';
import { openFakePanel, type FakePanel } from '#tests/support/panels/index.ts';
import { seeded } from '#tests/support/random.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

/** A crowd where one was tried, and what servers cost in calls. */
describe.each(['pterodactyl', 'pelican'] as const)('a crowd of new players, %s', (dialect) => {
  let world: ServersWorld;
  let fake: FakePanel;
  let location: string;
  let before = 0;
  async function open(installMs: number) {
    world = await serversWorld();
    fake = await openFakePanel({
      dialect,
      clock: world.clock,
      installMs,
      rateLimits: { application: 1_000_000, client: 1_000_000 },
    });
    const facts = furnish(fake, { ports: 120 });
    const { panel, catalogue } = httpPanelOver(fake, { clock: world.clock, log: world.log });
    const place = { panelLocation: dialect === 'pelican' ? 'fra' : String(facts.location), slots: 1000 };
    location = (
      await world.joinPanel({ panel, catalogue, nodes: [String(facts.node)], panelEgg: String(facts.egg) }, place)
    ).location;
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
    before = fake.calls.length;
  }
  /** Calls since then, as `POST /servers`. */
  const asked = () => fake.asked().slice(before);
  afterEach(async () => {
    await fake.close();
    await world.close();
  });
  async function newcomers(count: number): Promise<SignedIn[]> {
    const people: SignedIn[] = [];
    for (let at = 0; at < count; at += 1) people.push(await world.person());
    return people;
  }
  const create = (people: readonly SignedIn[]) =>
    Promise.all(people.map((ctx) => world.servers.create(ctx, world.serverInput({ locationId: location }))));
  const states = () => world.db.sql('SELECT state, failure, COUNT(*) AS n FROM servers GROUP BY state, failure');

  test('T63 a hundred newcomers at once on a panel whose database deadlocks are all ready, nothing failed, nothing is doubled', async () => {
    await open(8000);
    const random = seeded(63);
    fake.failBy(({ method, path }) =>
      method === 'POST' && (path === '/users' || path === '/servers') && random.chance(0.3)
        ? { kind: 'deadlock' }
        : null,
    );
    const people = await newcomers(100);
    await create(people);
    await world.pass(15 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', failure: null, n: 100 }]);
    expect(fake.state.servers.size).toBe(100);
    expect(fake.calls.some(({ status }) => status === 500)).toBe(true);
    // Deadlocks cost no try of anybody.
    expect(await world.db.sql('SELECT DISTINCT attempts FROM server_queue')).toEqual([{ attempts: 1 }]);
    for (const ctx of people) expect(await world.mails(ctx)).toEqual(['serverReady']);
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [], orphans: [] });
  });

  test('T63 an outage in the middle of a crowd fails nobody', async () => {
    await open(30_000);
    await create(await newcomers(40));
    await world.buildStep();
    await fake.stopListening();
    await world.pass(4 * MINUTE);
    fake.listenAgain();
    await world.pass(15 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', failure: null, n: 40 }]);
    expect(fake.state.servers.size).toBe(40);
  });

  test.each([8, 90, 600])(
    'P10 forty new players whose installation takes %d s cost at most four calls each, with all polls',
    async (seconds) => {
      await open(seconds * SECOND);
      await create(await newcomers(40));
      await world.pass(2 * MINUTE + 4 * seconds * SECOND);
      expect(await states()).toEqual([{ state: 'active', failure: null, n: 40 }]);
      expect(asked().filter((call) => call !== 'GET /nodes' && call !== 'GET /servers')).toHaveLength(3 * 40);
      expect(asked().length).toBeLessThanOrEqual(4 * 40);
      expect(asked().filter((call) => /^GET \/servers\/\d+$/.test(call))).toEqual([]);
    },
  );

  test('P10 a server of a known player costs two calls of its own, and polls that all of its panel share', async () => {
    await open(90_000);
    const [ctx] = await newcomers(1);
    if (!ctx) throw new Error('nobody came');
    await create([ctx]);
    await world.pass(5 * MINUTE);
    before = fake.calls.length;
    await create([ctx]);
    await world.pass(5 * MINUTE);
    expect(await states()).toEqual([{ state: 'active', failure: null, n: 2 }]);
    const kinds = asked().map((call) => call.replace(/[0-9a-f-]{36}$/, ':id'));
    expect(kinds.filter((call) => call !== 'GET /servers' && call !== 'GET /nodes')).toEqual([
      'GET /servers/external/:id',
      'POST /servers',
    ]);
    expect(kinds.filter((call) => call === 'GET /servers').length).toBeLessThanOrEqual(8);
  });
});

describe('T63 pauses do not meet again', () => {
  let world: ServersWorld;
  beforeEach(async () => {
    world = await serversWorld();
  });
  afterEach(() => world.close());

  test('T63 tries of a crowd that failed together are spread over time', async () => {
    const random = seeded(5);
    const { servers, runner } = world.instance(world.uow, world.panel, [], () => random.int(1000) / 1000);
    world.panel.fail('lostBefore', 'createServer', 1000);
    for (let at = 0; at < 12; at += 1) await servers.create(await world.person(), world.serverInput());
    await runner.runDue({ kind: SERVER_JOBS.build });
    const due = await world.db.sql<{ at: number }>(
      'SELECT DISTINCT j.run_at_ms AS at FROM server_queue q JOIN jobs j ON j.id = q.id WHERE q.attempts = 1',
    );
    expect(due.length).toBeGreaterThan(3);
    world.panel.heal();
  });

  test('T63 jobs that failed together are spread over time, whatever pause their handler names', async () => {
    const random = seeded(9);
    const { createRunner } = await import('#server/jobs/runner.ts');
    const handlers = {
      'test.broken': {
        leaseMs: MINUTE,
        backoffMs: (attempt: number) => syncPauseMs(attempt),
        handle: () => Promise.reject(new Error('away')),
      },
    };
    const runner = createRunner({
      uow: world.uow,
      clock: world.clock,
      ids: world.ids,
      log: world.log,
      bus: world.bus,
      handlers,
      random: () => random.int(1000) / 1000,
    });
    await world.uow.run(async (tx) => {
      for (let at = 0; at < 20; at += 1)
        await tx.jobs.add({ id: world.ids.uuid(), kind: 'test.broken', payload: {}, createdMs: world.clock.now() });
    });
    await runner.runDue();
    const due = await world.db.sql<{ at: number }>(
      "SELECT DISTINCT run_at_ms AS at FROM jobs WHERE kind = 'test.broken'",
    );
    expect(due.length).toBeGreaterThan(15);
  });
});
