import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { refusalOf } from './amounts.ts';
import type { StoreData, StoreItem } from './screen.tsx';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/store');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const store = await import('./screen.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const MEMORY: StoreItem = {
  id: ID(1),
  kind: 'memory',
  quantity: 1024,
  price: 150,
  current: 10_240,
  used: 8192,
  limit: 16_384,
  vip_only: false,
  units_left: 6,
};
const SLOT: StoreItem = {
  ...MEMORY,
  id: ID(2),
  kind: 'slots',
  quantity: 1,
  price: 500,
  current: 5,
  used: 4,
  limit: 10,
  units_left: 5,
};
const shop = (more: Partial<StoreData> = {}): StoreData => ({
  balance: 1284,
  items: [MEMORY, SLOT],
  purchases: [],
  ...more,
});
const show = (data: StoreData, more: { buy?: object; permissions?: string[] } = {}) =>
  showScreen(store, {
    url: '/store',
    session: { permissions: more.permissions ?? [] },
    answers: {
      'GET /api/store': data,
      'POST /api/store/buy': more.buy ?? { kind: 'memory', limit: 12_288, balance: 984, total: 300 },
    },
  });
test('what is for VIPs only leads others to where the host gives help', async () => {
  showScreen(store, {
    url: '/store',
    settings: { support_url: 'https://help.lantern.example/' },
    answers: { 'GET /api/store': shop({ items: [{ ...MEMORY, vip_only: true }] }) },
  });
  expect((await screen.findByText(/Ask the host for the VIP role/)).textContent).toContain('Get help');
  expect(screen.getByRole('link', { name: 'Get help' }).getAttribute('href')).toBe('https://help.lantern.example/');
});

const buyButton = (item: string) => screen.findByRole('button', { name: new RegExp(`^Buy.*: ${item}$`) });

test('price, balance now and after follow the units', async () => {
  show(shop());
  expect((await buyButton('Memory')).textContent).toContain('150');
  fireEvent.click(screen.getByRole('button', { name: 'Units: Memory: More' }));
  expect((await buyButton('Memory')).textContent).toContain('300');
  expect(screen.getByText('Balance 1,284, then 984')).toBeTruthy();
});

test('the page buys after a question that shows limit, price and balance', async () => {
  const { calls } = show(shop());
  type(await screen.findByLabelText('Units: Memory'), '2');
  fireEvent.click(await buyButton('Memory'));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('10 GB → 12 GB');
  expect(within(dialog).getByText('984 credits')).toBeTruthy();
  expect(calls('POST /api/store/buy')).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Buy' }));
  expect(await screen.findByText('Bought. Your Memory limit is now 12 GB.')).toBeTruthy();
  const [call] = calls('POST /api/store/buy');
  expect(call?.body).toEqual({ item_id: ID(1), units: 2, price: 150 });
  expect(call?.key).toMatch(/^0190a000/);
});

test('a refusal stands at its item alone', async () => {
  show(shop(), { buy: refuse('PRICE_CHANGED') });
  fireEvent.click(await buyButton('Server slot'));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Buy' }));
  const problem = await screen.findByText(errors.PRICE_CHANGED);
  expect(problem.closest('li')?.querySelector('h2')?.textContent).toBe('Server slot');
});

test('T13 the key stays while an answer is missing, and changes once it was used for something else', async () => {
  const answers = ['SERVER_UNAVAILABLE', 'IDEMPOTENCY_MISMATCH', 'INSUFFICIENT_CREDITS'] as const;
  let turn = 0;
  const { calls } = show(shop(), { buy: () => refuse(answers[turn++] ?? 'SERVER_ERROR') });
  for (const code of answers) {
    fireEvent.click(await buyButton('Memory'));
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Buy' }));
    await screen.findByText(errors[code]);
  }
  const keys = calls('POST /api/store/buy').map((call) => call.key);
  expect(keys).toHaveLength(3);
  expect(keys[1]).toBe(keys[0] ?? null);
  expect(keys[2]).not.toBe(keys[1] ?? null);
});

test('what cannot be bought says why', async () => {
  const full: StoreItem = { ...SLOT, id: ID(3), kind: 'backups', current: 3, limit: 3, units_left: 0 };
  const vip: StoreItem = { ...MEMORY, id: ID(4), vip_only: true };
  show(shop({ balance: 100, items: [MEMORY, full, vip] }));
  expect(await screen.findByText('You’re 50 credits short.', { exact: false })).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Buy.*: Memory$/ }).disabled).toBe(true);
  expect(screen.getByText(/Limit reached/)).toBeTruthy();
  expect(screen.getByText(/For VIP members/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Backup/ })).toBeNull();
});

test('VIP items can be bought by VIP members', async () => {
  show(shop({ items: [{ ...MEMORY, vip_only: true }] }), { permissions: ['user.permission.vip'] });
  expect(((await buyButton('Memory')) as HTMLButtonElement).disabled).toBe(false);
});

test('purchases are listed, refunds are marked, and an empty store says so', async () => {
  show(shop({ purchases: [{ id: ID(5), kind: 'databases', quantity: 2, total: 400, at: NOW, refunded: true }] }));
  expect(await screen.findByText('Database +2')).toBeTruthy();
  expect(screen.getByText('refunded')).toBeTruthy();
  cleanup();
  show(shop({ items: [] }));
  expect(await screen.findByRole('heading', { name: 'Nothing for sale' })).toBeTruthy();
});

test('without scripts each item is a plain form, and the price shown is the price a unit', () => {
  const html = serverHtml(store, { url: '/store' }, shop({ items: [MEMORY] }));
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toContain(`name="item_id" value="${ID(1)}"`);
  expect(html).toContain('name="price" value="150"');
  expect(html).toMatch(/name="_key" value="0190a000/);
  expect(html).not.toContain('Balance 1,284, then');
});

test('refusalOf gives the first refusal that applies', () => {
  const of = (item: Partial<StoreItem>, units = 1, balance = 1000, vip = false) =>
    refusalOf({ item: { ...MEMORY, ...item }, units, balance, vip });
  expect([
    of({}),
    of({ vip_only: true }),
    of({ vip_only: true }, 1, 1000, true),
    of({ units_left: 0 }),
    of({}, 7),
    of({}, 1.5),
    of({}, 0),
    of({}, 6, 899),
    of({}, 6, 900),
  ]).toEqual([null, 'vip', null, 'limit', 'units', 'units', 'units', 'credits', null]);
});
