import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/** The staff's side of servers as a browser without scripts uses it. */
let harness: Harness;
let pages: Pages;
let owner: Person;
let player: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  pages = await openPages(harness);
  owner = await harness.person('owner', { permissions: ['admin.root'] });
  player = await harness.person('tobi_k');
}, 300_000);
afterAll(() => harness.close());

/** What a page shows: the texts of its language stand in its scripts as well. */
const shown = (html: string) => html.replaceAll(/<script[\s\S]*?<\/script>/g, '');
const get = async (path: string, person = owner) => {
  const response = await pages.get(path, { secret: person.secret });
  return { status: response.status, to: response.headers.get('location'), html: shown(await response.text()) };
};
const post = async (path: string, fields: Record<string, string>, person = owner) => {
  const response = await pages.post(path, fields, { secret: person.secret });
  return { status: response.status, to: response.headers.get('location'), html: shown(await response.text()) };
};
const valueOf = (html: string, name: string): string =>
  new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(html)?.[1] ??
  new RegExp(`value="([^"]*)"[^>]*?name="${name}"`).exec(html)?.[1] ??
  '';
const only = (permission: Permission) =>
  harness.person(`h-${permission.replaceAll('.', '-').slice(6)}`, { permissions: [permission] });

/** Somebody who has room for a server. */
const newPlayer = (username: string) => harness.person(username, { credits: 1000 });
/** The form of a server for the player, as the page sends it. */
async function formFor(name: string, { id, username }: Person): Promise<Record<string, string>> {
  const path = `${href('admin.serverQueue.new')}?owner=${username}`;
  const { html } = await get(path);
  const { options } = await owner.api.adminServerQueue.options({ query: { owner: username } });
  const egg = options.categories
    .flatMap((category) => category.eggs.map((each) => ({ ...each, value: `${category.id}.${each.id}` })))
    .toSorted((a, b) => a.min_memory - b.min_memory)[0];
  if (!egg) throw new Error('no software');
  const variables = Object.fromEntries(
    egg.variables.map((variable) => [`variables.${egg.id}.${variable.env}`, variable.default_value]),
  );
  return {
    _key: valueOf(html, '_key'),
    owner: id,
    name,
    description: '',
    location_id: options.locations.find((location) => location.available)?.id ?? '',
    egg: egg.value,
    memory: String(egg.min_memory),
    disk: String(egg.min_disk),
    cpu: String(egg.min_cpu),
    ports: '1',
    databases: '0',
    backups: '0',
    ...variables,
  };
}
/** Lets the queue work and time pass until nothing is left to do. */
async function finishQueue(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    await harness.drainJobs();
    harness.clock.advance(10_000);
  }
}

describe('access', () => {
  const cases: [string, Permission][] = [
    ['/mc-admin/servers', 'admin.servers.list'],
    ['/mc-admin/servers/drift', 'admin.servers.list'],
    ['/mc-admin/server-queue', 'admin.server.queue.list'],
    ['/mc-admin/server-queue/create', 'admin.server.queue.create'],
    ['/mc-admin/server-queue/logs', 'admin.server.queue.logs.view'],
  ];
  test.each(cases)('%s: a guest logs in, a player is refused, and %s opens it', async (path, permission) => {
    const holder = await harness.person(`holder${path.length}`, { permissions: [permission] });
    expect((await pages.get(path)).status).toBe(302);
    expect((await get(path, player)).status).toBe(403);
    const { status, html } = await get(path, holder);
    expect([status, html.includes('<h1>')]).toEqual([200, true]);
  });

  test('taking over without saying what asks for it, and what is not on the list is not there', async () => {
    expect((await get(href('admin.servers.adopt'))).html).toContain('Which one?');
    expect((await get(`${href('admin.servers.adopt')}?panel=01890000-0000-7000-8000-000000000000&ref=7`)).status).toBe(
      404,
    );
  });
});

test('T24 ids of nothing are not found on any of the pages, for root as well', async () => {
  const id = '01890000-0000-7000-8000-000000000000';
  for (const path of [
    href('admin.servers.view', { id }),
    href('admin.serverQueue.view', { id }),
    href('admin.serverQueue.delete', { id }),
  ])
    expect((await get(path)).status).toBe(404);
});

test('staff go from the user to the queue, the server, its suspension and its end, with plain forms alone', async () => {
  const tobi = await newPlayer('tobi_r');
  const path = href('admin.serverQueue.new');
  expect((await get(path)).html).toContain('Owner');
  expect((await get(`${path}?owner=nobody`)).html).toContain('User not found.');
  const fields = await formFor('Lanternwood', tobi);
  const page = `${path}?owner=${tobi.username}`;
  const refused = await post(page, { ...fields, memory: '0', name: '' });
  expect(refused.html).toContain('Please fix 2 fields');
  const [made, again] = [await post(page, fields), await post(page, fields)];
  expect([made.status, made.to]).toEqual([302, again.to]);
  const entry = await get(made.to ?? '');
  expect(entry.html).toContain('Joined the queue');
  expect(entry.html).toContain('tobi_r');
  expect((await get(href('admin.serverQueue.list'))).html).toContain('Lanternwood');
  await finishQueue();
  const { rows } = await owner.api.adminServers.list({ query: { q: 'lantern' } });
  const server = rows[0];
  if (!server) throw new Error('no server');
  expect([rows.length, server.state, server.owner.username]).toEqual([1, 'active', 'tobi_r']);
  const view = href('admin.servers.view', { id: server.id });

  expect((await post(view, { _intent: 'suspend', reason: '' })).html).toContain('This field is required.');
  expect((await post(view, { _intent: 'suspend', reason: '<b>Mining</b>' })).html).toContain(
    '&lt;b&gt;Mining&lt;/b&gt;',
  );
  expect((await tobi.api.servers.get({ params: { id: server.id } })).server).toMatchObject({
    state: 'suspended',
    suspend_reason: 'admin',
  });
  // T29: the owner reads the reason as it was typed.
  expect((await get(href('server.view', { id: server.id }), tobi)).html).toMatch(
    /Suspended by the host:<\/b> (?:<!-- -->)?&lt;b&gt;Mining&lt;\/b&gt;/,
  );
  expect((await post(view, { _intent: 'unsuspend' })).html).toContain('Suspension lifted.');
  expect((await post(view, { _intent: 'unsuspend' })).html).toContain('role="alert"');
  expect((await post(view, { _intent: 'reinstall' })).html).toContain('role="alert"');
  expect((await owner.api.adminServers.get({ params: { id: server.id } })).reinstall).toBe('possible');
  expect((await post(view, { _intent: 'reinstall', sure: 'on' })).html).toContain('Reinstall requested.');
  const own = await get(href('server.view', { id: server.id }), tobi);
  expect(own.html).toContain('Reinstalling.');
  expect(own.html).toContain('Reinstall started');
  expect((await post(view, { _intent: 'delete', name: 'lantern' })).html).toContain('That isn’t the name.');
  expect((await post(view, { _intent: 'delete', name: 'Lanternwood' })).to).toBe('/mc-admin/servers?done=delete');
  await finishQueue();
  expect((await get(view)).status).toBe(404);
  expect((await get(`${href('admin.servers.list')}?done=delete`)).html).toContain('Deletion started.');

  const log = await get(href('admin.serverQueue.logs'));
  expect(log.html).toContain('<span>Installed</span>');
  expect((await get(`${href('admin.serverQueue.logs')}?code=queued`)).html).not.toContain('<span>Installed</span>');
  const gone = made.to ?? '';
  expect((await post(`${gone}/delete`, {})).to).toBe('/mc-admin/server-queue?done=delete');
  expect((await get(gone)).status).toBe(404);
});

test('a waiting entry is cancelled, and one that failed is tried again, from its page', async () => {
  const fern = await newPlayer('fern');
  const first = await post(`${href('admin.serverQueue.new')}?owner=${fern.username}`, await formFor('Fernhall', fern));
  const path = first.to ?? '';
  expect((await post(path, { _intent: 'cancel' })).to).toBe(path);
  expect((await get(path)).html).toContain('Cancelled');
  expect((await post(path, { _intent: 'cancel' })).html).toContain('too late to cancel');
  expect((await post(path, { _intent: 'retry' })).html).toContain('role="alert"');
});

test('T23 staff without admin.root cannot leave the limits out, whatever the form says', async () => {
  const clerk = await only('admin.server.queue.create');
  const page = `${href('admin.serverQueue.new')}?owner=${player.username}`;
  expect((await get(page, clerk)).html).not.toContain('without_limits');
  expect((await get(page)).html).toContain('without_limits');
  const { html } = await post(
    page,
    { ...(await formFor('Big', player)), memory: '900000', without_limits: 'on' },
    clerk,
  );
  expect(html).toContain('You do not have permission');
  expect((await owner.api.adminServers.list({ query: { q: 'Big' } })).rows).toEqual([]);
});

test('a comparison with every panel is asked for and done', async () => {
  const path = href('admin.servers.drift');
  expect((await get(path)).html).toContain('No differences');
  expect((await post(path, {})).to).toBe(path);
  expect((await get(path)).html).toContain('Comparing all panels. This page updates automatically.');
  await harness.drainJobs();
  expect((await get(path)).html).not.toContain('Comparing all panels. This page updates automatically.');
});

describe('deleting what only a panel has', () => {
  const panel = '01890000-0000-7000-8000-0000000000aa';
  const page = `${href('admin.servers.deleteOrphan')}?${new URLSearchParams({ panel, ref: '7' }).toString()}`;
  beforeAll(async () => {
    await harness.db.sql(
      `INSERT INTO panels (id, name, dialect, url, key_sealed, client_key_sealed, enabled, checked, checked_ms, synced, synced_ms, created_ms, updated_ms)
       VALUES (?, 'Main panel', 'pterodactyl', 'https://p.example.test', '-', NULL, 0, NULL, NULL, NULL, NULL, 0, 0)`,
      [panel],
    );
    await harness.db.sql(
      "INSERT INTO panel_drift (panel, kind, ref, server_id, name, detail, first_ms, seen_ms) VALUES (?, 'orphan', '7', NULL, '<i>Old hall</i>', '', 0, ?)",
      [panel, harness.clock.now()],
    );
  });
  afterAll(() => harness.db.sql('DELETE FROM panel_drift'));

  test('T24 a guest logs in, who may only edit or list is refused, and what is not on the list is not there', async () => {
    const [editor, cleaner] = [await only('admin.servers.edit'), await only('admin.servers.delete')];
    expect((await pages.get(page)).status).toBe(302);
    for (const person of [player, editor]) expect((await get(page, person)).status).toBe(403);
    expect((await get(page, cleaner)).status).toBe(200);
    expect((await get(page.replace('ref=7', 'ref=8'), cleaner)).status).toBe(404);
    expect((await get(href('admin.servers.deleteOrphan'), cleaner)).html).toContain('Which one?');
    // Without the right to list there is no way back to the list.
    expect((await get(page, cleaner)).html).toContain('name="_stay"');
    const list = await get(
      href('admin.servers.drift'),
      await harness.person('looker', { permissions: ['admin.servers.list', 'admin.servers.edit'] }),
    );
    expect(list.html).toContain('Adopt: &lt;i&gt;Old hall&lt;/i&gt;');
    expect(list.html).not.toContain(href('admin.servers.deleteOrphan'));
    expect((await get(href('admin.servers.drift'))).html).toContain(href('admin.servers.deleteOrphan'));
  });

  test('an orphan’s name is typed, and a panel that does not answer deletes nothing, and the page says so', async () => {
    const { html } = await get(page);
    expect(html).toContain('Delete &lt;i&gt;Old hall&lt;/i&gt; from the panel');
    expect(html).toContain('The panel gives no information about it right now');
    const answer = await post(page, { panel, ref: '7', name: '<i>Old hall</i>' });
    expect(answer.html).toContain('The panel isn’t responding right now.');
    expect(answer.html).toContain('value="&lt;i&gt;Old hall&lt;/i&gt;"');
    expect((await get(`${href('admin.servers.drift')}?done=deleteOrphan`)).html).toContain(
      'Server deleted from its panel.',
    );
  });
});

test('a user who may read but not change is shown no way to', async () => {
  const moss = await newPlayer('moss');
  await post(`${href('admin.serverQueue.new')}?owner=${moss.username}`, await formFor('Mosshall', moss));
  await finishQueue();
  const lister = await only('admin.servers.list');
  const id = (await owner.api.adminServers.list({ query: { q: 'Mosshall' } })).rows[0]?.id ?? '';
  const view = href('admin.servers.view', { id });
  const { html } = await get(view, lister);
  expect(html).toContain('Mosshall');
  for (const word of ['name="reason"', 'name="force"', 'name="_intent"']) expect(html).not.toContain(word);
  expect((await post(view, { _intent: 'suspend', reason: 'x' }, lister)).html).toContain('role="alert"');
  expect((await get(href('admin.servers.drift'), lister)).html).not.toContain('Compare now');
});
