import { afterEach, describe, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openFakePanel, type Dialect, type FakePanel } from '#tests/support/panels/index.ts';

/**
 * The staff's side of panels over the real adapters: connecting, testing, reading, importing, against a panel over
 * HTTP.
 */
let harness: Harness | null = null;
let panel: FakePanel | null = null;
afterEach(async () => {
  await panel?.release();
  await harness?.close();
  await panel?.close();
  harness = panel = null;
});

async function openBoth(dialect: Dialect) {
  const fake = (panel = await openFakePanel({ dialect }));
  const own = (harness = await openHarness());
  if (dialect === 'pterodactyl') {
    fake.addLocation({ short: 'de-fra', long: 'Frankfurt' });
    fake.addNest({ name: 'Minecraft' });
  }
  const node = fake.addNode({ tags: dialect === 'pelican' ? ['eu'] : [] });
  fake.addAllocations(node.id);
  fake.addEgg({
    name: 'Paper',
    variables: [{ env: 'SERVER_JARFILE', rules: 'required|string', defaultValue: 'server.jar' }],
  });
  const staff = await own.person('mirela', { permissions: ['admin.root'] });
  const body = {
    name: 'Main',
    url: fake.url,
    dialect: 'auto' as const,
    enabled: true,
    key: fake.applicationKey,
    client_key: fake.clientKey,
  };
  return {
    fake,
    own,
    api: staff.api,
    body,
    connect: (more: Partial<typeof body> = {}) => staff.api.adminPanels.create({ body: { ...body, ...more } }),
  };
}

describe.each(['pterodactyl', 'pelican'] as const)('%s', (dialect) => {
  test('a panel is recognised, tested, read and taken over', async () => {
    const { own, api, connect } = await openBoth(dialect);
    const params = { id: (await connect()).id };
    await own.drainJobs();
    const { panel: view, offers, nests, nodes } = await api.adminPanels.catalogue({ params });
    expect(view).toMatchObject({
      dialect,
      insecure: true,
      checked: { fault: null, client_key: 'ok' },
      synced: { state: 'ok' },
    });
    expect(view.checked?.rights.every(({ granted }) => granted)).toBe(true);
    expect(offers.map(({ kind, name, state }) => [kind, name, state])).toEqual([
      ['egg', 'Paper', 'fresh'],
      ['location', dialect === 'pelican' ? 'eu' : 'de-fra', 'fresh'],
    ]);
    expect(nodes).toMatchObject([{ ports: 10, ports_free: 10, memory: 65_536 }]);
    expect(
      await api.adminPanels.take({
        params,
        body: {
          offers: offers.flatMap(({ kind, ref }) => (kind === 'location' ? [{ kind, ref }] : [])),
          nests: nests.map(({ ref }) => ref),
        },
      }),
    ).toMatchObject({ created: 2 });
    expect((await api.adminLocations.list({})).rows).toMatchObject([{ panel: 'Main', address: 'node1.example.test' }]);
    expect((await api.adminEggs.list({})).rows).toMatchObject([
      { name: 'Paper', panels: 'Main', variables: [{ env: 'SERVER_JARFILE' }] },
    ]);
  });

  test('T26 a key without rights is reported right by right, and outages are reported by their cause and change nothing', async () => {
    const { fake, own, api, connect } = await openBoth(dialect);
    const resource = dialect === 'pelican' ? { user: 1, egg: 0 } : { users: 1, eggs: 0 };
    const all =
      dialect === 'pelican'
        ? { server: 3, node: 1, allocation: 1 }
        : { servers: 3, nodes: 1, allocations: 1, locations: 1, nests: 1 };
    const { token } = fake.addKey({ rights: { ...all, ...resource } as never });
    const params = { id: (await connect({ key: token, client_key: '' })).id };
    const { checked } = (await api.adminPanels.get({ params })).panel;
    expect(checked?.rights.filter(({ granted }) => !granted).map(({ right, level }) => `${right} ${level}`)).toEqual(
      expect.arrayContaining(['users write', 'eggs read']),
    );
    expect(checked?.client_key).toBe('absent');
    await own.drainJobs();
    expect((await api.adminPanels.catalogue({ params })).panel.synced).toMatchObject({
      state: 'failed',
      part: 'eggs',
      fault: { fault: 'refused' },
    });
    expect((await api.adminPanels.catalogue({ params })).offers).toEqual([]);
    await fake.stopListening();
    expect((await api.adminPanels.test({ params })).checked.fault).toEqual({ fault: 'unavailable', cause: 'refused' });
    fake.listenAgain();
  });

  test('the set-up guide asks the panel each time, and judges it by what it says just then', async () => {
    const { fake, api, connect } = await openBoth(dialect);
    const key = fake.addKey({ rights: { [dialect === 'pelican' ? 'server' : 'servers']: 3 } as never });
    await connect({ key: key.token, client_key: '' });
    const check = async () => {
      const { state, checks } = await api.adminSetup.complete({
        params: { step: 'panel' },
        body: { origin: 'https://panel.example.com' },
      });
      return [state, Object.fromEntries(checks.map((each) => [each.code, each.state]))];
    };
    const stored = async () => (await api.adminSetup.get({})).steps.find(({ step }) => step === 'panel')?.state;
    expect(await check()).toEqual(['open', { panelAnswers: 'ok', panelRights: 'failed' }]);
    // The key was mended at the panel itself.
    fake.state.keys.set(key.token, { ...key, rights: 'all' });
    expect(await check()).toEqual(['done', { panelAnswers: 'ok', panelRights: 'ok' }]);
    await fake.stopListening();
    expect(await check()).toEqual(['open', { panelAnswers: 'failed' }]);
    expect(await stored()).toBe('open');
    fake.listenAgain();
    expect(await check()).toEqual(['done', { panelAnswers: 'ok', panelRights: 'ok' }]);
    expect(await stored()).toBe('done');
  });

  test('T26 another program, a wrong key or nobody at the address stores nothing', async () => {
    const { fake, api, connect } = await openBoth(dialect);
    await expect(connect({ key: `${fake.applicationKey.slice(0, -1)}x` })).rejects.toMatchObject({
      fields: { key: ['NOT_ALLOWED'] },
    });
    const website = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<h1>Welcome</h1>', { headers: { 'Content-Type': 'text/html' } }),
    });
    await expect(connect({ url: `http://127.0.0.1:${website.port}` })).rejects.toMatchObject({
      code: 'PANEL_UNAVAILABLE',
    });
    await website.stop(true);
    await expect(connect({ url: `http://127.0.0.1:${website.port}` })).rejects.toMatchObject({
      code: 'PANEL_UNAVAILABLE',
    });
    expect((await api.adminPanels.list({})).panels).toEqual([]);
  });
});
