import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { FakeMachine } from '#tests/support/machine.ts';

const STEP = 5 * MINUTE;

describe.each(ENGINES)('a server of this machine on %s', (engine) => {
  let harness: Harness;
  let machine: FakeMachine;
  let owner: Person;
  let id: string;
  beforeEach(async () => {
    machine = new FakeMachine();
    harness = await openHarness({ engine, sample: true, machine: machine.runtime });
    owner = await harness.person('olga', { permissions: ['admin.root'] });
    const { locations, categories } = await owner.api.servers.options({});
    const category = categories.find(({ eggs }) => eggs.some(({ name }) => name === 'Website'));
    ({ id } = await owner.api.servers.create({
      body: {
        name: 'Lanternwood',
        description: '',
        location_id: locations.find(({ embedded }) => embedded)?.id ?? '',
        category_id: category?.id ?? '',
        egg_id: category?.eggs.find(({ name }) => name === 'Website')?.id ?? '',
        memory: 512,
        disk: 512,
        cpu: 50,
        ports: 1,
        databases: 0,
        backups: 0,
        variables: {},
        auto_renew: false,
      },
    }));
    await harness.drainJobs();
    // The next measurement is the first of an hour, in which nothing was measured yet.
    harness.clock.advance(2 * HOUR - (harness.clock.now() % HOUR));
    await harness.db.sql('DELETE FROM server_usage_hours');
    await harness.db.sql("UPDATE schedules SET next_ms = ? WHERE name = 'machine.usage'", [harness.clock.now()]);
  }, 60_000);
  afterEach(() => harness.close());

  const history = () => owner.api.servers.usageHistory({ params: { id } });
  /** The node says this of the server; it is measured now, and time goes on. */
  async function measure(more: object, thenMs = STEP): Promise<void> {
    for (const [uuid, server] of machine.servers) machine.servers.set(uuid, { ...server, ...more });
    await harness.drainJobs();
    harness.clock.advance(thenMs);
  }

  test('nothing is known of a server that was never measured', async () => {
    expect(await history()).toMatchObject({ days: 30, hours: [] });
  });

  test('measurements of an hour are averaged, the highest is kept, and hours in which it is off are missing', async () => {
    const firstMs = harness.clock.now();
    await measure({ memory: 100, disk: 10, totals: { cpuUs: 0, received: 0, sent: 0 } });
    await measure({ memory: 400, disk: 30, totals: { cpuUs: 60_000_000, received: 300_000, sent: 600_000 } });
    await measure({ memory: 100, disk: 20, totals: { cpuUs: 60_000_000, received: 300_000, sent: 600_000 } }, HOUR);
    await measure({ state: 'offline' }, HOUR);
    await measure({ state: 'running', memory: 7, totals: { cpuUs: 0, received: 0, sent: 0 } });
    const { hours } = await history();
    expect(hours.map(({ at }) => at)).toEqual([iso(firstMs), iso(firstMs + 2 * HOUR)]);
    expect(hours[0]).toEqual({
      at: iso(firstMs),
      // The first measurement of processor and network is the one of the node: 12.5 %, 1200 and 3400 bytes a second.
      average: { memory: 200, cpu: 10.8, disk: 20, received: 733, sent: 1800 },
      highest: { memory: 400, cpu: 20, disk: 30, received: 1200, sent: 3400 },
    });
    expect(hours[1]?.average).toMatchObject({ memory: 7, cpu: 12.5 });
  });

  test('a node that does not answer leaves a gap, and no fault', async () => {
    machine.isAway = true;
    await measure({});
    machine.isAway = false;
    expect((await history()).hours).toEqual([]);
    const [row] = await harness.db.sql<{ fault: string | null }>(
      "SELECT last_error AS fault FROM schedules WHERE name = 'machine.usage'",
    );
    expect(row?.fault).toBeNull();
  });

  test('as many days are shown as the setting says', async () => {
    await measure({ memory: 1 }, 3 * DAY);
    await measure({ memory: 2 });
    expect((await history()).hours).toHaveLength(2);
    await harness.set({ server_usage_days: 2 });
    const { days, hours } = await history();
    expect([days, hours.map(({ average }) => average.memory)]).toEqual([2, [2]]);
  });

  test('the page of a server has every address of it, where its panel runs here', async () => {
    const { server, ports } = await owner.api.servers.get({ params: { id } });
    expect(ports).toEqual([server.address ?? '']);
    await harness.db.uow.run((tx) => tx.limits.add(owner.id, 'ports', 5));
    await owner.api.servers.update({
      params: { id },
      body: {
        name: server.name,
        description: '',
        memory: 512,
        disk: 512,
        cpu: 50,
        ports: 3,
        databases: 0,
        backups: 0,
      },
    });
    await harness.drainJobs();
    const after = await owner.api.servers.get({ params: { id } });
    expect(after.ports).toHaveLength(3);
    expect(after.ports[0]).toBe(server.address ?? '');
  });

  test('live figures say what comes and goes over the network', async () => {
    const { usage } = await owner.api.servers.usage({ params: { id } });
    expect(usage?.network).toEqual({ received: 1200, sent: 3400 });
  });

  test('a server is its owner’s and nobody else’s', async () => {
    const stranger = await harness.person('mirela');
    await measure({});
    expect(await codeOf(stranger.api.servers.usageHistory({ params: { id } }))).toBe('NOT_FOUND');
    await owner.api.subusers.add({ params: { id }, body: { username: stranger.username, rights: ['power'] } });
    expect(await codeOf(stranger.api.servers.usageHistory({ params: { id } }))).toBe('FORBIDDEN');
  });
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
}
