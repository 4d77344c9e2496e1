import { afterEach, expect, test } from 'bun:test';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { DashboardData } from './screen.tsx';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const dashboard = await import('./screen.tsx');

afterEach(cleanup);

const url = '/dashboard';
const inDays = (days: number): string => new Date(Date.parse(NOW) + days * 86_400_000).toISOString();
const meter = (used: number, limit: number) => ({ used, limit });

function server(more: Partial<ServerView>): ServerView {
  return {
    id: '0190a000-0000-7000-8000-000000000001',
    name: 'Lanternwood',
    description: '',
    state: 'active',
    suspend_reason: null,
    failure: null,
    address: 'fra1.example:25571',
    egg: { id: 'e', name: 'Paper', shape: 'cube', hue: 5, picture: '' },
    location: { id: 'l', name: 'Frankfurt', code: 'fra' },
    resources: { memory: 4096, disk: 20_480, cpu: 200, ports: 1, databases: 0, backups: 0 },
    progress: null,
    created_at: inDays(-4),
    expires_at: inDays(26),
    suspends_at: null,
    deletes_at: null,
    auto_renew: false,
    renew_priority: 'normal',
    queue: null,
    pending: false,
    can: { update: true, renew: true, delete: true, retry: false },
    ...more,
  };
}

function data(more: Partial<DashboardData> = {}): DashboardData {
  return {
    now: NOW,
    balance: 1284,
    earned_today: 362,
    earned_30_days: 674,
    history: [600, 700, 1284],
    afk: { earned_today: 312, cap: 480 },
    meters: {
      memory: meter(4096, 10_240),
      disk: meter(20_480, 40_960),
      cpu: meter(200, 600),
      slots: meter(1, 5),
      ports: meter(1, 8),
      databases: meter(2, 2),
      backups: meter(1, 3),
    },
    servers: [server({})],
    paging: { page: 1, per_page: 12, total: more.servers?.length ?? 1 },
    needing_credits: 0,
    shared: [],
    renew_cost: 100,
    due: 0,
    statement: [
      {
        id: 's1',
        at: NOW,
        kind: 'store.buy',
        subject: 'memory',
        amount: -150,
        balance_after: 1134,
        counterpart: 'system:store',
      },
    ],
    early_supporters: null,
    next: [],
    ...more,
  };
}
const show = (more: Partial<DashboardData> = {}, answers: object = {}) =>
  showScreen(dashboard, { url, answers: { 'GET /api/dashboard': data(more), ...answers } });

test('the page greets, and shows balance, limits, servers and movements', async () => {
  show();
  expect(await screen.findByRole('heading', { level: 1, name: 'Good evening, Mirela' })).toBeTruthy();
  expect(screen.getByText('Server slots in use: 1 of 5.')).toBeTruthy();
  expect(screen.getByText('1,284 credits')).toBeTruthy();
  expect(screen.getByText('Databases: all used.')).toBeTruthy();
  const row = screen.getByRole('link', { name: 'Lanternwood' }).closest('li');
  expect(row?.textContent).toContain('until 17 Dec 2026');
  const movement = screen.getByRole('rowheader');
  expect(movement.textContent).toBe('Store purchase Memory');
});

test('servers of others stand apart, with whose they are, and lead to their own page', async () => {
  const { id, description, state, address, egg, location, resources } = server({});
  const one = { id, name: 'Skyhold', description, state, address, egg, location, resources } as const;
  show({ shared: [{ ...one, owner: 'mara', rights: ['power'] }] });
  const list = await screen.findByRole('list', { name: 'Shared with you' });
  const link = within(list).getByRole('link', { name: /Skyhold/ });
  expect(link.getAttribute('href')).toBe(`/server/${id}/shared`);
  expect(link.textContent).toContain('Shared by mara');
  cleanup();
  show();
  await screen.findByRole('link', { name: 'Lanternwood' });
  expect(screen.queryByText('Shared with you')).toBeNull();
});

test('what needs credits leads to its renewal with the price', async () => {
  show({ servers: [server({ name: 'Skyhold', expires_at: inDays(1.6) })], needing_credits: 1, due: 100 });
  const renew = await screen.findByRole('link', { name: /^Renew 100 credits.*Skyhold$/ });
  expect(renew.getAttribute('href')).toBe('/server/0190a000-0000-7000-8000-000000000001/renew');
  expect(renew.textContent).toContain('100');
  expect(screen.getByText(/1 server needs credits soon/)).toBeTruthy();
});

test('who has many servers sees a page of them, and the way to the others', async () => {
  show({ paging: { page: 1, per_page: 12, total: 20 } });
  const next = await screen.findByRole('link', { name: 'Next page' });
  expect(next.getAttribute('href')).toBe('/dashboard?page=2');
  expect(screen.getByText('1 – 12 of 20')).toBeTruthy();
});

test('paying all that is due asks first, with the balance afterwards, and pays once', async () => {
  const { calls } = show({ due: 200 }, { 'POST /api/servers/renew-due': { renewed: 2, skipped: 1, balance: 1084 } });
  fireEvent.click(await screen.findByRole('button', { name: /Pay all due/ }));
  const dialog = await screen.findByRole('alertdialog');
  expect(within(dialog).getByText('1,084 credits')).toBeTruthy();
  expect(calls('POST /api/servers/renew-due')).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Pay' }));
  expect(await screen.findByText('2 servers renewed. 1 couldn’t be paid.')).toBeTruthy();
  const [call] = calls('POST /api/servers/renew-due');
  expect(call?.body).toEqual({ price: 200 });
  expect(call?.key).toMatch(/^0190a000-0000-7000-8000-0000000000aa/);
});

test('Screen 5 what was earned is called earned: it is not all that moved the balance', async () => {
  show({ earned_today: 250, earned_30_days: 900 });
  const words = await screen.findByText(/earned today$/);
  expect(words.textContent).toBe('+250+250 credits earned today');
  expect(screen.getByText(/earned in 30 days$/).textContent).toBe('+900+900 credits earned in 30 days');
});

test('Screen 5 a gift and its fee are distinguished in the latest movements', async () => {
  const line = { id: 's1', at: NOW, kind: 'gift', subject: 'ann → bob', balance_after: 1 };
  show({
    statement: [
      { ...line, amount: -100, counterpart: 'user:x' },
      { ...line, amount: -10, counterpart: 'system:gift.fee' },
    ],
  });
  expect(await screen.findByRole('rowheader', { name: 'Gift sent ann → bob' })).toBeTruthy();
  expect(screen.getByRole('rowheader', { name: 'Gift fee ann → bob' })).toBeTruthy();
});

test('T13 a second payment of the same page has another key', async () => {
  const { calls } = show({ due: 200 }, { 'POST /api/servers/renew-due': { renewed: 1, skipped: 0, balance: 1184 } });
  for (let turn = 1; turn <= 2; turn++) {
    fireEvent.click(await screen.findByRole('button', { name: /Pay all due/ }));
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Pay' }));
    await waitFor(() => expect(calls('POST /api/servers/renew-due')).toHaveLength(turn));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    await screen.findByText('1 server renewed.');
  }
  const keys = calls('POST /api/servers/renew-due').map((call) => call.key);
  expect(new Set(keys).size).toBe(2);
});

test('a refused payment is said in words', async () => {
  show({ due: 200 }, { 'POST /api/servers/renew-due': refuse('PRICE_CHANGED') });
  fireEvent.click(await screen.findByRole('button', { name: /Pay all due/ }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Pay' }));
  expect(await screen.findByText(/The price has changed/)).toBeTruthy();
});

test('a new user reads what to do', async () => {
  const none = { ...data().meters, slots: meter(0, 1), databases: meter(0, 0) };
  show({
    balance: 0,
    history: [0, 0],
    servers: [],
    statement: [],
    meters: none,
    next: [{ code: 'create', subject: null, amount: null, at: null, route: 'server.create', id: null }],
  });
  expect(await screen.findByRole('heading', { name: 'No server yet' })).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'No transactions yet' })).toBeTruthy();
  expect(screen.getByText(/is free to create/)).toBeTruthy();
  expect(screen.getByRole('link', { name: /Create your first server/ }).getAttribute('href')).toBe('/server/create');
  expect(screen.queryByText(/: all used/)).toBeNull();
});

test('what is switched off is not offered', async () => {
  showScreen(dashboard, {
    url,
    flags: { allow_servers: false, afk_enabled: false, store_enabled: false, server_renew_enabled: false },
    answers: { 'GET /api/dashboard': data({ servers: [], due: 100 }) },
  });
  await screen.findByRole('heading', { level: 1 });
  for (const name of [/Create server/, /Earn credits/, /^Store/, /Pay all due/]) {
    expect(screen.queryByRole('link', { name })).toBeNull();
    expect(screen.queryByRole('button', { name })).toBeNull();
  }
});

test('without scripts the payment is a plain form that carries price and key', () => {
  const html = serverHtml(dashboard, { url }, data({ due: 200 }));
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toContain('name="price" value="200"');
  expect(html).toMatch(/name="_key" value="0190a000/);
  expect(html).toContain('leaves 1,084 credits');
});

const PLACES = {
  left: 12,
  count: 100,
  credits: 100,
  state: 'pending',
  reason: null,
  terms: { min_age_hours: 24, afk_minutes: 30, verification: true },
  checks: { verified: true, age: false, active: true },
} as const satisfies DashboardData['early_supporters'];

test('the places of early supporters: how many are left, what is missing, and what a reward waits for', async () => {
  show({ early_supporters: PLACES });
  const card = within((await screen.findByText('12 places left')).closest('section') ?? document.body);
  expect(card.getByText(/^The first 100 players .* get 100 credits and a badge/)).toBeTruthy();
  expect(card.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Your e-mail is confirmed (done)',
    'Your account is at least 1 d old (still missing)',
    'You’ve had a server, or 30 AFK minutes (done)',
  ]);
  cleanup();
  const waiting = { ...PLACES, checks: null, state: 'qualified' } as const;
  show({ early_supporters: { ...waiting, reason: 'budget' } });
  expect(await screen.findByText(/Today’s budget is used up/)).toBeTruthy();
  cleanup();
  show({ early_supporters: { ...waiting, state: 'held' } });
  expect(await screen.findByText(/100 credits are on hold/)).toBeTruthy();
});

test('whoever was paid, or comes when no place is left, sees no card of early supporters', async () => {
  for (const places of [{ ...PLACES, left: 0 }, { ...PLACES, checks: null, state: 'paid' } as const]) {
    show({ early_supporters: places });
    await screen.findByText('What to do next');
    expect(screen.queryByText('Early supporters')).toBeNull();
    cleanup();
  }
});
