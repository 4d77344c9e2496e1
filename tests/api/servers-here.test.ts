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

  const shown = () => owner.api.servers.get({ params: { id } });
  const portOf = (address: string): number => Number(address.split(':').at(-1));
  const choose = (port: number) => owner.api.servers.setPrimaryPort({ params: { id }, body: { port } });
  /** Ports that the node was last given, the primary first. */
  const ordered = () => [...machine.specs.values()].at(-1)?.ports;
  async function resize(ports: number): Promise<void> {
    const room = { memory: 512, disk: 512, cpu: 50, databases: 0, backups: 0 };
    await harness.db.uow.run((tx) => tx.limits.add(owner.id, 'ports', 5));
    await owner.api.servers.update({ params: { id }, body: { name: 'Lanternwood', description: '', ...room, ports } });
  }
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
    const { server, ports } = await shown();
    expect(ports).toEqual([server.address ?? '']);
    await resize(3);
    await harness.drainJobs();
    const after = await shown();
    expect(after.ports).toHaveLength(3);
    expect(after.ports[0]).toBe(server.address ?? '');
  });

  test('the port that its owner chooses is the primary one at once on its page, and in the next order to the node', async () => {
    await resize(3);
    await harness.drainJobs();
    const [first = '', second = '', third = ''] = (await shown()).ports;
    await choose(portOf(third));
    const chosen = await shown();
    expect([chosen.server.address, ...chosen.ports]).toEqual([third, third, first, second]);
    expect(chosen.server.pending).toBe(true);
    expect(chosen.activity[0]).toMatchObject({ code: 'updated', detail: 'primaryPort', actor: owner.username });
    await harness.drainJobs();
    expect(ordered()).toEqual([third, first, second].map(portOf));
    expect(await shown()).toMatchObject({ server: { address: third, pending: false }, ports: chosen.ports });
    // Again it changes nothing, and is no second line of the history.
    await choose(portOf(third));
    expect((await shown()).activity).toHaveLength(chosen.activity.length);
    // A server that gets fewer ports keeps the one that players know.
    await resize(1);
    await harness.drainJobs();
    expect(await shown()).toMatchObject({ server: { address: third }, ports: [third] });
    expect(ordered()).toEqual([portOf(third)]);
    await harness.drainJobs();
    expect((await shown()).activity.filter(({ code }) => code === 'repaired')).toEqual([]);
  });

  test('a choice and fewer ports that come to the node together leave the chosen one', async () => {
    await resize(3);
    await harness.drainJobs();
    const [, , third = ''] = (await shown()).ports;
    machine.isAway = true;
    await choose(portOf(third));
    await resize(1);
    await harness.drainJobs();
    expect((await shown()).server).toMatchObject({ address: third, pending: true });
    machine.isAway = false;
    harness.clock.advance(HOUR);
    await harness.drainJobs();
    expect(await shown()).toMatchObject({ server: { address: third, pending: false }, ports: [third] });
    expect(ordered()).toEqual([portOf(third)]);
  });

  test('choices that are made at once end with one of them everywhere', async () => {
    await resize(3);
    await harness.drainJobs();
    const { ports } = await shown();
    await Promise.all([2, 1, 0, 1, 2].map((at) => choose(portOf(ports[at] ?? ''))));
    await harness.drainJobs();
    const { server, ports: after } = await shown();
    expect(server.address).toBe(after[0] ?? '');
    expect(ordered()).toEqual(after.map(portOf));
    expect(after.toSorted()).toEqual(ports.toSorted());
  });

  test('a port that is not the server’s is refused at its field, as is none', async () => {
    for (const port of [25_568, 1]) {
      const refusal = await choose(port).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', fields: { port: ['PORT_UNKNOWN'] } });
    }
    for (const port of [0, 65_536, 1.5, '25565', null])
      expect(await codeOf(choose(port as number))).toBe('VALIDATION_FAILED');
    expect((await shown()).activity.filter(({ detail }) => detail === 'primaryPort')).toEqual([]);
  });

  test('who may change startup settings chooses the primary port, and the history names them', async () => {
    await resize(2);
    await harness.drainJobs();
    const friend = await harness.person('mirela');
    await owner.api.subusers.add({ params: { id }, body: { username: friend.username, rights: ['startup'] } });
    const [first = '', second = ''] = (await shown()).ports;
    const port = portOf(second);
    await friend.api.servers.setPrimaryPort({ params: { id }, body: { port } });
    const seen = await friend.api.subusers.get({ params: { id } });
    expect(seen).toMatchObject({ server: { address: second }, ports: [second, first] });
    expect(seen.activity[0]).toMatchObject({ detail: 'primaryPort', actor: friend.username });
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
