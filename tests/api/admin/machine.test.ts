import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SettingKey } from '#shared/settings.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { FakeMachine } from '#tests/support/machine.ts';

describe.each(ENGINES)('this machine on %s', (engine) => {
  let harness: Harness;
  let machine: FakeMachine;
  let staff: Person;
  let player: Person;
  beforeEach(async () => {
    machine = new FakeMachine();
    harness = await openHarness({ engine, sample: true, machine: machine.runtime });
    staff = await harness.person('olga', { permissions: ['admin.root'] });
    player = await harness.person('mirela');
    // The node was looked at, as happens every minute.
    await staff.api.adminMachine.get({});
  }, 60_000);
  afterEach(() => harness.close());

  const set = (key: SettingKey, value: string | number) => harness.set({ [key]: value });
  /** Asks for a server of a kind. Out: the code of a refusal, or `made`. */
  async function make(who: Person, name: string, memory = 512): Promise<string> {
    const { locations, categories } = await who.api.servers.options({});
    const category = categories.find(({ eggs }) => eggs.some((egg) => egg.name === name));
    try {
      await who.api.servers.create({
        body: {
          name: 'Lanternwood',
          description: '',
          location_id: locations.find(({ embedded }) => embedded)?.id ?? '',
          category_id: category?.id ?? '',
          egg_id: category?.eggs.find((egg) => egg.name === name)?.id ?? '',
          memory,
          disk: 512,
          cpu: 50,
          ports: 1,
          databases: 0,
          backups: 0,
          variables: {},
          auto_renew: false,
        },
      });
      return 'made';
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }

  test('strangers get no server while a part is weak, until the operator accepts it by name; staff do', async () => {
    const view = await player.api.servers.options({});
    const website = view.categories.flatMap(({ eggs }) => eggs).find(({ name }) => name === 'Website');
    expect(website).toMatchObject({ available: false, reason: 'MACHINE_CLOSED' });
    expect(await make(player, 'Website')).toBe('MACHINE_CLOSED');
    await set('machine_accepted_parts', 'network');
    expect(await make(player, 'Website')).toBe('MACHINE_CLOSED');
    await set('machine_accepted_parts', 'network disk');
    expect(await make(player, 'Website')).toBe('made');
    await set('machine_accepted_parts', '');
    expect(await make(staff, 'Website')).toBe('made');
    const { machine: shown } = await staff.api.adminMachine.get({});
    expect(shown).toMatchObject({ grade: 'B', open: true });
    expect(shown?.parts.find(({ part }) => part === 'disk')).toEqual({
      part: 'disk',
      state: 'partial',
      accepted: false,
    });
  });

  test('a kind that is off, or whose program is not installed, is refused to everybody; what runs goes on', async () => {
    expect(await make(staff, 'Bun app')).toBe('made');
    await set('machine_recipes_off', 'bun-app');
    machine.facts = {
      ...machine.facts,
      lacking: [
        { recipe: 'java-app', needs: 'default-jre-headless' },
        // Made for another processor.
        { recipe: 'factorio', needs: null },
      ],
    };
    const { recipes } = await staff.api.adminMachine.get({});
    expect(recipes.filter(({ on, lacking }) => !on || lacking)).toEqual([
      { id: 'bun-app', on: false, lacking: false, needs: null },
      { id: 'java-app', on: true, lacking: true, needs: 'default-jre-headless' },
      { id: 'factorio', on: true, lacking: true, needs: null },
    ]);
    expect(await make(staff, 'Java app')).toBe('EGG_UNAVAILABLE');
    expect(await make(staff, 'Bun app')).toBe('EGG_UNAVAILABLE');
  });

  test('what is sold and used is shown beside what may be, and no more memory is sold than that', async () => {
    expect(await make(staff, 'Website', 1024)).toBe('made');
    await harness.drainJobs();
    const view = await staff.api.adminMachine.get({});
    expect(view).toMatchObject({
      state: 'running',
      sold: { servers: 1, memory: 1024, disk: 512, cpu: 50, ports: 1 },
      used: { memory: 1024 ** 3, cpu: 13, running: 1 },
      ports: { first: 25_565, last: 25_568 },
      memory_share: 80,
    });
    expect(view.servers).toMatchObject([{ name: 'Lanternwood', state: 'running', memory_limit: 1024, port: 25_565 }]);
    expect(view.machine?.reserve).toBe(2048 * 1024 ** 2);
    machine.facts = { ...machine.facts, memory: { total: 2 * 1024 ** 3, free: 1024 ** 3 } };
    await staff.api.adminMachine.get({});
    await harness.set({ machine_accepted_parts: 'disk' });
    expect(await make(player, 'Website', 1024)).toBe('made');
    await harness.drainJobs();
    // 80 % of 2 GB are less than both: the second is not made, and costs nothing.
    expect((await staff.api.adminMachine.get({})).sold).toMatchObject({ servers: 1, memory: 1024 });
    expect((await player.api.servers.list({})).servers).toMatchObject([{ state: 'failed' }]);
  });

  test('maintenance is begun and ended by who may change settings, and stands in the audit log', async () => {
    const viewer = await harness.person('nora', { permissions: ['admin.health.view'] });
    expect((await viewer.api.adminMachine.get({})).machine?.maintenance).toBe(false);
    await expect(viewer.api.adminMachine.stop({})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await staff.api.adminMachine.stop({});
    expect((await viewer.api.adminMachine.get({})).machine?.maintenance).toBe(true);
    await staff.api.adminMachine.start({});
    expect(machine.told).toEqual(['maintenance', 'no maintenance']);
    const rows = await harness.db.sql("SELECT action FROM audit WHERE action LIKE 'machine.%' ORDER BY at_ms, id");
    expect(rows.map(({ action }) => String(action)).sort()).toEqual(['machine.start', 'machine.stop']);
  });

  test('a node that does not answer is shown as absent and changes nothing', async () => {
    machine.isAway = true;
    expect(await staff.api.adminMachine.get({})).toMatchObject({ state: 'absent', machine: null, servers: [] });
    await expect(staff.api.adminMachine.stop({})).rejects.toMatchObject({ code: 'MACHINE_UNREACHABLE' });
    expect(machine.told).toEqual([]);
    expect(await harness.db.sql("SELECT action FROM audit WHERE action LIKE 'machine.%'")).toEqual([]);
  });

  test('a server that does not end is an item of what needs a person, and staff are notified once', async () => {
    const sample = (atMs: number, rank: number) =>
      harness.db.sql(
        "INSERT INTO health_samples (at_ms, check_key, subject, status_rank, figure) VALUES (?, 'node', '', ?, NULL)",
        [atMs, rank],
      );
    const begun = harness.clock.now();
    await sample(begun - 3000, 0);
    await sample(begun - 2000, 3);
    await sample(begun - 1000, 3);
    await harness.host.services.attention.report();
    await harness.host.services.attention.report();
    const { items } = await staff.api.adminAttention.list({});
    expect(items.find(({ key }) => key === 'machine')?.since).toBe(new Date(begun - 2000).toISOString());
    await harness.drainJobs();
    const rows = await harness.db.sql("SELECT kind FROM notifications WHERE kind = 'machineNeeds'");
    expect(rows).toHaveLength(1);
  });
});
