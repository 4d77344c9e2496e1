import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/** The admin area as a browser without scripts uses it: pages, plain forms, redirects. */
let harness: Harness;
let pages: Pages;
let owner: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  pages = await openPages(harness);
  owner = await harness.person('owner', { permissions: ['admin.root'] });
});
afterAll(() => harness.close());

const get = async (path: string, person = owner) => {
  const response = await pages.get(path, { secret: person.secret });
  return { status: response.status, html: await response.text() };
};
const post = async (path: string, fields: Record<string, string>, person = owner) => {
  const response = await pages.post(path, fields, { secret: person.secret });
  return { status: response.status, to: response.headers.get('location'), html: await response.text() };
};
/** The value of a hidden or typed field in a page. */
const valueOf = (html: string, name: string): string | undefined =>
  new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(html)?.[1] ??
  new RegExp(`value="([^"]*)"[^>]*?name="${name}"`).exec(html)?.[1];

const place = {
  name: 'Paris',
  description: 'Near the river',
  code: 'fr',
  address: 'PAR.example.com',
  slots: '12',
  position: '4',
  online: 'on',
};

describe('a location without scripts', () => {
  /** A location beside the one that the form makes. Out: its id. */
  async function addLocation(name: string): Promise<string> {
    const key = valueOf((await get(href('admin.locations.create'))).html, '_key') ?? '';
    await post(href('admin.locations.create'), { ...place, name, _key: key });
    const { rows } = await owner.api.adminLocations.list({ query: { q: name } });
    return rows[0]?.id ?? '';
  }

  test('a location is created once, however often the form is sent', async () => {
    const { html } = await get(href('admin.locations.create'));
    const key = valueOf(html, '_key') ?? '';
    expect(key).not.toBe('');
    const [first, second] = [
      await post(href('admin.locations.create'), { ...place, _key: key }),
      await post(href('admin.locations.create'), { ...place, _key: key }),
    ];
    expect([first.status, second.status]).toEqual([302, 302]);
    expect(first.to).toBe(second.to);
    const page = await get(first.to ?? '');
    expect(page.html).toContain('Paris was created.');
    expect((await owner.api.adminLocations.list({ query: { q: 'Paris' } })).rows).toMatchObject([
      { code: 'FR', address: 'par.example.com', slots: 12, online: true, vip_only: false },
    ]);
  });

  test('a refused location comes back with what was typed and with every fault', async () => {
    const { html } = await post(href('admin.locations.create'), {
      ...place,
      name: 'Paris',
      slots: '0',
      code: 'FRA',
      description: '<b>"bold"</b>',
    });
    expect(html).toContain('Please fix 2 fields');
    expect(valueOf(html, 'slots')).toBe('0');
    expect(html).toContain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt;');
    expect(html).not.toContain('<b>"bold"');
  });

  test('an edit of an old state is refused and does not overwrite, also not when it is sent again', async () => {
    const id = await addLocation('Rennes');
    const edit = href('admin.locations.edit', { id });
    const { html } = await get(edit);
    const seen = valueOf(html, 'updated_at') ?? '';
    expect((await post(edit, { ...place, name: 'Rennes', slots: '20', updated_at: seen })).status).toBe(302);
    const stale = await post(edit, { ...place, name: 'Rennes', slots: '30', updated_at: seen });
    expect(stale.html).toContain('Load the newest version');
    expect(valueOf(stale.html, 'updated_at')).toBe(seen);
    expect(valueOf(stale.html, 'slots')).toBe('30');
    expect((await owner.api.adminLocations.get({ params: { id } })).row.slots).toBe(20);
  });

  test('a location is deleted by its name', async () => {
    const path = href('admin.locations.delete', { id: await addLocation('Lyon') });
    expect((await post(path, { name: 'Rome' })).html).toContain('That isn’t the name.');
    expect((await post(path, { name: 'Lyon' })).to).toBe('/mc-admin/locations?done=delete');
    expect((await get(path)).status).toBe(404);
  });
});

test('an egg without scripts adds a variable by a spare row, and an emptied one takes it away', async () => {
  const { rows } = await owner.api.adminEggs.list({ query: { q: 'Mumble' } });
  const id = rows[0]?.id ?? '';
  const path = href('admin.eggs.edit', { id });
  const { html } = await get(path);
  expect(html).toContain('<noscript>');
  const { row } = await owner.api.adminEggs.get({ params: { id } });
  const fields = {
    name: row.name,
    category_id: row.category_id,
    description: row.description,
    shape: 'pillar',
    hue: '3',
    picture: '',
    enabled: 'on',
    position: '1',
    docker_image: row.docker_image,
    startup: row.startup,
    min_memory: '512',
    min_disk: '256',
    min_cpu: '10',
    updated_at: row.updated_at,
    'variables.0.env': '',
    'variables.0.name': '',
    'variables.0.default_value': '',
    'variables.0.rules': 'required|integer',
    'variables.0.description': '',
    'variables.1.env': 'MUMBLE_VERSION',
    'variables.1.name': 'Version',
    'variables.1.default_value': 'latest',
    'variables.1.rules': 'required|string',
    'variables.1.description': '',
    'variables.4.env': 'WELCOME',
    'variables.4.name': 'Welcome',
    'variables.4.default_value': 'Hi',
    'variables.4.rules': 'string',
    'variables.4.description': '',
    'variables.4.user_editable': 'on',
  };
  expect((await post(path, fields)).status).toBe(302);
  const saved = (await owner.api.adminEggs.get({ params: { id } })).row;
  expect(saved).toMatchObject({ hue: 3, min_memory: 512, shape: 'pillar' });
  expect(saved.variables.map((each) => [each.env, each.user_editable])).toEqual([
    ['MUMBLE_VERSION', false],
    ['WELCOME', true],
  ]);
});

test('a code’s window is written in the zone its author reads times in', async () => {
  const profile = { first_name: 'Test', last_name: 'Person', locale: 'en' as const };
  await owner.api.account.update({ body: { ...profile, time_zone: 'Europe/Bucharest' } });
  const { html } = await get(href('admin.redeemCodes.create'));
  const code = {
    code: 'SUMMER',
    note: '',
    credits: '10',
    uses_total: '5',
    min_age_days: '0',
    starts_at: '2026-07-01T18:00',
    ends_at: '',
    enabled: 'on',
  };
  const { to } = await post(href('admin.redeemCodes.create'), { ...code, _zone: valueOf(html, '_zone') ?? '' });
  const id = /create-(.+)$/.exec(to ?? '')?.[1] ?? '';
  expect((await owner.api.adminRedeemCodes.get({ params: { id } })).row).toMatchObject({
    starts_at: '2026-07-01T15:00:00.000Z',
    ends_at: null,
    status: 'scheduled',
    created_by: 'owner',
  });
  expect(valueOf((await get(href('admin.redeemCodes.edit', { id }))).html, 'starts_at')).toBe('2026-07-01T18:00');
});

test('T39 a form without scripts runs as the user whose page it was on, or not at all', async () => {
  const path = href('account');
  const fields = { _intent: 'profile', first_name: 'Left', last_name: 'Open', locale: 'en' };
  const own = valueOf((await get(path)).html, '_as') ?? '';
  expect(own).toBe(owner.id);
  const other = await harness.person('other');
  expect((await post(path, { ...fields, _as: other.id })).html).toContain('logged in as someone else');
  expect((await owner.api.account.get()).first_name).toBe('Test');
  await post(path, { ...fields, _as: own });
  expect((await owner.api.account.get()).first_name).toBe('Left');
});

test('whoever may edit but not list comes back to the page and not to a refusal', async () => {
  const { rows } = await owner.api.adminEggCategories.list();
  const row = rows[0];
  const editor = await harness.person('editor', { permissions: ['admin.nests.edit' satisfies Permission] });
  const path = href('admin.eggCategories.edit', { id: row?.id ?? '' });
  const { html } = await get(path, editor);
  expect(valueOf(html, '_stay')).toBe('1');
  const sent = {
    name: row?.name ?? '',
    description: 'Changed',
    enabled: 'on',
    position: '1',
    updated_at: row?.updated_at ?? '',
    _stay: '1',
  };
  const { to } = await post(path, sent, editor);
  expect(to).toStartWith(path);
  const page = await get(to ?? '', editor);
  expect(page.status).toBe(200);
  expect(page.html).toContain('was saved.');
});

test('an export is sent as a file', async () => {
  const response = await pages.get('/api/admin/locations/export.csv', { secret: owner.secret });
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="locations.csv"');
  expect((await response.text()).split('\r\n')[0]).toContain('id,name,description');
});
