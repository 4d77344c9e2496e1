import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/** The staff's side of the economy as a browser without scripts uses it. */
let harness: Harness;
let pages: Pages;
let owner: Person;
let player: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  pages = await openPages(harness);
  owner = await harness.person('owner', { permissions: ['admin.root'] });
  player = await harness.person('tobi_k', { credits: 1000 });
}, 300_000);
afterAll(() => harness.close());

const get = async (path: string, person = owner) => {
  const response = await pages.get(path, { secret: person.secret });
  return { status: response.status, html: await response.text() };
};
const post = async (path: string, fields: Record<string, string>, person = owner) => {
  const response = await pages.post(path, fields, { secret: person.secret });
  return { status: response.status, html: await response.text() };
};
const valueOf = (html: string, name: string): string =>
  new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(html)?.[1] ??
  new RegExp(`value="([^"]*)"[^>]*?name="${name}"`).exec(html)?.[1] ??
  '';
const page = () => href('admin.users.edit', { id: player.id });

describe('access', () => {
  const cases: [string, Permission][] = [
    ['/mc-admin/users', 'admin.users.list'],
    ['/mc-admin/economy', 'admin.economy.view'],
    ['/mc-admin/redeem-codes/batch', 'admin.redeem.codes.create'],
    ['/mc-admin/store-items', 'admin.store.items.list'],
    ['/mc-admin/store-items/create', 'admin.store.items.create'],
  ];
  test.each(cases)('%s: a guest logs in, a player is refused, and %s opens it', async (path, permission) => {
    const holder = await harness.person(`holder-${permission.replaceAll('.', '-').slice(6, 24)}-${path.length}`, {
      permissions: [permission],
    });
    expect((await pages.get(path)).status).toBe(302);
    expect((await get(path, player)).status).toBe(403);
    expect((await get(path, holder)).status).toBe(200);
  });

  test('a user’s page needs the permission to edit, and somebody to be there', async () => {
    const lister = await harness.person('lister', { permissions: ['admin.users.list'] });
    const editor = await harness.person('editor', { permissions: ['admin.users.edit'] });
    expect((await get(page(), lister)).status).toBe(403);
    expect((await get(page(), editor)).status).toBe(200);
    expect((await get(href('admin.users.edit', { id: '01890000-0000-7000-8000-000000000000' }))).status).toBe(404);
  });
});

test('an adjustment without scripts happens once, however often the form is sent, and a refused one keeps what was typed', async () => {
  const { html } = await get(page());
  const fields = {
    _intent: 'adjust',
    _key: valueOf(html, '_key'),
    direction: 'in',
    amount: '250',
    reason: 'Backup was lost',
  };
  expect(fields._key).not.toBe('');
  for (let turn = 0; turn < 2; turn += 1)
    expect((await post(page(), fields)).html).toContain('The balance is now 1,250 credits.');
  expect(await harness.balance(player.id)).toBe(1250);
  const refused = await post(page(), { ...fields, _key: 'another-key-1', direction: 'out', amount: '9000' });
  expect(refused.html).toContain('value="9000"');
  expect(refused.html).toContain('Backup was lost');
  expect(await harness.balance(player.id)).toBe(1250);
});

test('a purchase is refunded by a plain form, and a second time says so', async () => {
  const before = await harness.balance(player.id);
  const { items } = await player.api.store.items();
  const [item] = items;
  await player.api.store.buy({ body: { item_id: item?.id ?? '', units: 1, price: item?.price ?? 0 } });
  const { html } = await get(page());
  const fields = { _intent: 'refund', purchase: valueOf(html, 'purchase') };
  expect((await post(page(), { ...fields, _key: 'refund-key-1' })).html).toContain('Purchase refunded.');
  expect((await post(page(), { ...fields, _key: 'refund-key-2' })).html).toContain('already');
  expect(await harness.balance(player.id)).toBe(before);
});

test('the statement is filtered by its form, on the account and for staff alike', async () => {
  const buyer = await harness.person('rosa_m', { credits: 1000 });
  await owner.api.adminUsers.adjust({
    params: { id: buyer.id },
    body: { direction: 'in', amount: 250, reason: 'Backup was lost' },
  });
  const { items } = await buyer.api.store.items();
  const memory = items.find(({ kind }) => kind === 'memory');
  await buyer.api.store.buy({ body: { item_id: memory?.id ?? '', units: 1, price: memory?.price ?? 0 } });
  for (const [path, person] of [
    [href('admin.users.edit', { id: buyer.id }), owner],
    ['/account?tab=statement', buyer],
  ] as const) {
    const all = await get(path, person);
    expect(all.html).toContain('Adjustment by the host');
    expect(all.html).toContain('Backup was lost');
    const filtered = await get(`${path}${path.includes('?') ? '&' : '?'}kind=store.buy`, person);
    expect(filtered.html).not.toContain('Backup was lost');
    expect(filtered.html).toContain('Bought in the store: Memory.');
  }
});

test('the economy is drawn on the server, and a source is stopped by a plain form', async () => {
  const { html } = await get('/mc-admin/economy?days=7');
  expect(html).toContain('class="sp-chart__bars"');
  expect(html).not.toMatch(/<[^>]+ style="/);
  expect((await post('/mc-admin/economy', { source: 'redeem', enabled: 'false' })).html).toContain(
    'Redeem codes: stopped.',
  );
  expect((await get('/earn/redeem', player)).status).toBe(404);
  expect((await post('/mc-admin/economy', { source: 'redeem', enabled: 'true' })).html).toContain(
    'Redeem codes: resumed.',
  );
  expect((await post('/mc-admin/economy', { source: 'everything', enabled: 'false' })).html).toContain('role="alert"');
});

test('many codes are made by a plain form, with times of the wall', async () => {
  const fields = {
    count: '3',
    pattern: 'FAIR-####-####',
    note: 'Fair',
    credits: '50',
    uses_total: '1',
    min_age_days: '0',
    starts_at: '',
    ends_at: '2030-05-01T10:00',
    _zone: 'Europe/Bucharest',
    _key: 'batch-key-1',
  };
  const { html } = await post('/mc-admin/redeem-codes/batch', fields);
  expect(html).toContain('Created 3 codes.');
  const { rows } = await owner.api.adminRedeemCodes.list({ query: { q: 'Fair' } });
  expect(rows.map(({ ends_at }) => ends_at)).toEqual(Array.from({ length: 3 }, () => '2030-05-01T07:00:00.000Z'));
  for (const { code } of rows) expect(html).toContain(code);
});
