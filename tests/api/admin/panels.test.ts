import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { anEgg, standInConnector, standInPanel, type StandInPanel } from '#tests/support/panel-standin.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { ENGINES } from '#tests/support/db.ts';

const URL_A = 'https://panel.example.com';
const ROLE = [
  'admin.panels.list',
  'admin.panels.create',
  'admin.panels.edit',
  'admin.panels.delete',
  'admin.locations.edit',
  'admin.locations.list',
  'admin.locations.create',
  'admin.egg.list',
  'admin.egg.edit',
  'admin.egg.delete',
] as const;

describe.each(ENGINES)('panels over the API on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  let panel: StandInPanel;
  const panels: Record<string, StandInPanel> = {};
  beforeAll(async () => {
    harness = await openHarness({
      engine,
      panelsOutside: { connector: standInConnector(panels), resolve: () => Promise.resolve(['93.184.215.14']) },
    });
    staff = await harness.person('mirela', { permissions: ROLE });
  });
  afterAll(() => harness.close());
  beforeEach(() => {
    panel = panels[URL_A] = standInPanel();
  });
  // Each connects its own panels, and looks at all that came of them.
  afterEach(async () => {
    for (const table of [
      'panel_offers',
      'node_capacity',
      'egg_bindings',
      'eggs',
      'egg_categories',
      'locations',
      'panels',
    ])
      await harness.db.sql(`DELETE FROM ${table}`);
  });
  const body = () => ({
    name: 'Main',
    url: `${URL_A}/`,
    dialect: 'auto' as const,
    enabled: true,
    key: panel.key,
    client_key: '',
  });

  test('a panel goes from connecting to a location that stands there: test, reading by a job, import, binding, removal', async () => {
    const api = staff.api.adminPanels;
    const { id } = await api.create({ body: body() });
    await harness.drainJobs();
    const params = { id };
    expect((await api.get({ params })).panel).toMatchObject({
      url: URL_A,
      syncing: false,
      synced: { state: 'ok' },
      news: { fresh: 3 },
      health: { circuit: 'closed', budget: { limit: 240, left: 231 } },
    });
    panel.missing = [{ right: 'servers', level: 'write' }];
    expect((await api.test({ params })).checked.rights.filter(({ granted }) => !granted)).toEqual([
      { right: 'servers', level: 'write', granted: false },
    ]);
    expect(await api.take({ params, body: { offers: [{ kind: 'location', ref: '1' }], nests: ['1'] } })).toMatchObject({
      created: 3,
      updated: 0,
      skipped: 0,
    });

    const { rows, options } = await staff.api.adminLocations.list({});
    expect(rows).toMatchObject([
      { name: 'de-fra', panel: 'Main', panel_id: id, panel_location: '1', placement: 'spread', online: false },
    ]);
    expect(options.panel_id).toEqual([{ value: `${id}:1`, label: 'Main: de-fra' }]);
    const { rows: eggs } = await staff.api.adminEggs.list({});
    expect(eggs.map(({ name, panels: of }) => [name, of])).toEqual([
      ['Forge', 'Main'],
      ['Paper', 'Main'],
    ]);

    const location = rows[0];
    if (!location) throw new Error('no location');
    const { id: own, used_slots: _, panel: __, created_at: ___, updated_at, ...facts } = location;
    const update = (change: object, seen = updated_at) =>
      staff.api.adminLocations.update({
        params: { id: own },
        body: { ...facts, code: 'DE', ...change, updated_at: seen },
      });
    await expect(update({ panel_location: null })).rejects.toMatchObject({ fields: { panel_id: ['INVALID'] } });
    await expect(update({ panel_location: '99' })).rejects.toMatchObject({ fields: { panel_id: ['UNKNOWN'] } });
    await expect(update({ panel_id: '01890000-0000-7000-8000-000000000000' })).rejects.toMatchObject({
      fields: { panel_id: ['UNKNOWN'] },
    });
    await expect(update({ placement: 'anywhere' })).rejects.toMatchObject({ fields: { placement: ['INVALID'] } });
    await update({ placement: 'pack', online: true });
    await expect(api.remove({ params, body: { name: 'Main' } })).rejects.toMatchObject({ code: 'IN_USE' });

    // An editor that does not speak of panels leaves the location where it is.
    const { panel_id: ____, panel_location: _____, placement: ______, ...old } = facts;
    const seen = async () => (await staff.api.adminLocations.get({ params: { id: own } })).row;
    await staff.api.adminLocations.update({
      params: { id: own },
      body: { ...old, code: 'DE', updated_at: (await seen()).updated_at },
    });
    expect(await seen()).toMatchObject({ panel_id: id, placement: 'pack' });
    await update({ panel_id: null, panel_location: null }, (await seen()).updated_at);
    expect((await api.dependants({ params })).refused).toBe(false);
    await api.remove({ params, body: { name: 'Main' } });
    expect((await api.list({})).panels).toEqual([]);
  });

  test('what vanished is turned off, and an egg that is deleted here is offered again', async () => {
    const api = staff.api.adminPanels;
    const { id } = await api.create({ body: { ...body(), name: 'Second' } });
    await harness.drainJobs();
    const params = { id };
    await api.take({
      params,
      body: {
        offers: [
          { kind: 'egg', ref: '1' },
          { kind: 'egg', ref: '2' },
        ],
        nests: [],
      },
    });
    panel.eggs = [anEgg('2', 'Forge')];
    await api.sync({ params });
    expect((await api.get({ params })).panel.syncing).toBe(true);
    await harness.drainJobs();
    expect(await api.turnOff({ params, body: { offers: [{ kind: 'egg', ref: '1' }] } })).toMatchObject({ done: 1 });
    const { offers } = await api.catalogue({ params });
    expect(offers.map(({ name, state, ours }) => [name, state, ours?.on])).toEqual([
      ['Forge', 'current', true],
      ['Paper', 'vanished', false],
      ['de-fra', 'fresh', undefined],
    ]);
    const forge = offers.find(({ name }) => name === 'Forge')?.ours?.id ?? '';
    await staff.api.adminEggs.remove({ params: { id: forge }, body: { name: 'Forge' } });
    expect((await api.catalogue({ params })).offers.map(({ name, state }) => [name, state])).toEqual([
      ['Forge', 'fresh'],
      ['Paper', 'vanished'],
      ['de-fra', 'fresh'],
    ]);
  });

  test('rules that came from a panel can be saved again; a slip cannot', async () => {
    panel.eggs = [
      anEgg('5', 'Odd', {
        uuid: '55555555-0000-4000-8000-000000000005',
        variables: [
          {
            env: 'WORLD',
            name: 'World',
            description: '',
            defaultValue: 'w',
            rules: 'required|dimensions:a=1',
            viewable: true,
            editable: true,
          },
        ],
        startup: './run',
      }),
    ];
    const { id } = await staff.api.adminPanels.create({ body: body() });
    await harness.drainJobs();
    await staff.api.adminPanels.take({ params: { id }, body: { offers: [{ kind: 'egg', ref: '5' }], nests: [] } });
    const { rows } = await staff.api.adminEggs.list({ query: { q: 'Odd' } });
    const row = rows[0];
    if (!row) throw new Error('no egg');
    const {
      id: own,
      category: _,
      servers: __,
      panels: ___,
      created_at: ____,
      config_files: _____,
      container: ______,
      ...facts
    } = row;
    await staff.api.adminEggs.update({ params: { id: own }, body: { ...facts, min_memory: 2048 } });
    const { row: saved } = await staff.api.adminEggs.get({ params: { id: own } });
    expect(saved).toMatchObject({ min_memory: 2048, variables: [{ rules: 'required|dimensions:a=1' }] });
    const slip = saved.variables.map((each) => ({ ...each, rules: 'required|dimensoins:a=1' }));
    await expect(
      staff.api.adminEggs.update({
        params: { id: own },
        body: { ...facts, min_memory: 2048, updated_at: saved.updated_at, variables: slip },
      }),
    ).rejects.toMatchObject({ fields: { 'variables.0.rules': ['INVALID'] } });
  });

  test('T26 an address has no path, name, question or other scheme, and no key of an application is the client’s', async () => {
    const create = (change: object) => staff.api.adminPanels.create({ body: { ...body(), name: 'Third', ...change } });
    const bad = [
      'panel.example.com',
      'ftp://panel.example.com',
      'https://panel.example.com/api/application',
      'https://key@panel.example.com',
      'https://a:b@panel.example.com',
      'https://panel.example.com/?a=1',
      'https://panel.example.com?',
      'https://panel.example.com/#x',
      'javascript:alert(1)',
      'https://',
      '',
    ];
    for (const url of bad)
      await expect(create({ url })).rejects.toMatchObject({ fields: { url: [url === '' ? 'REQUIRED' : 'INVALID'] } });
    await expect(create({ client_key: 'ptla_0123456789' })).rejects.toMatchObject({
      fields: { client_key: ['INVALID'] },
    });
    await expect(create({ key: 'two words' })).rejects.toMatchObject({ fields: { key: ['INVALID'] } });
    await expect(create({ key: '' })).rejects.toMatchObject({ fields: { key: ['REQUIRED'] } });
    await expect(create({ url: 'http://panel.example.com' })).rejects.toMatchObject({
      fields: { url: ['ADDRESS_INSECURE'] },
    });
  });

  test('a command with the same key runs once', async () => {
    panels['https://other.example.com'] = standInPanel();
    const send = () =>
      staff.api.adminPanels.create(
        { body: { ...body(), name: 'Once', url: 'https://other.example.com' } },
        { key: 'once-and-for-all' },
      );
    const first = await send();
    expect(await send()).toEqual(first);
    expect(
      (await staff.api.adminPanels.list({})).panels.filter(({ name }) => name === 'Once').map(({ id }) => id),
    ).toEqual([first.id]);
  });
});
