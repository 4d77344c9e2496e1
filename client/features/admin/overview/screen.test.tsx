import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';
import type { Answers } from '#tests/support/screens.tsx';

await installDom('https://panel.example/mc-admin');
const { act, cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { NOW, refuse, showScreen } = await import('#tests/support/screens.tsx');
const overview = await import('./screen.tsx');

// This DOM has no popovers.
Object.assign(HTMLElement.prototype, { hidePopover: () => undefined });
afterEach(cleanup);

const step = (code: string, done: boolean) => ({ code, done, route: 'admin.locations.create' });
const NUMBERS = {
  users: 12,
  users_today: 1,
  servers: 1200,
  servers_suspended: 0,
  queue: 2,
  circulation: 5400,
  minted_today: 70,
  burnt_today: 30,
  period: { days: 1, now: { users: 1, minted: 70, burnt: 30 }, before: { users: 4, minted: 90, burnt: 0 } },
  ledger: { total: 0, faults: [] },
  trends: { users: [10, 12], servers: [1100, 1200], circulation: [5000, 5400], minted: [0, 70], burnt: [9, 30] },
  layout: null,
  guide: null,
};
const SINCE = '2026-11-21T17:00:00.000Z';
const item = (id: string, over: object = {}) => ({
  id,
  key: id.split(':')[0],
  count: 1,
  since: SINCE,
  data: {},
  snoozed_until: null,
  ...over,
});
const OUTAGES = [
  item('panelOutages:p1/', { data: { panel_id: 'p1', panel: 'Main', node: '', cause: 'key', waiting: 3 } }),
  item('panelOutages:p2/par-1', { data: { panel_id: 'p2', panel: 'Paris', node: 'par-1', cause: 'node', waiting: 0 } }),
];
const REWARDS = item('heldRewards', {
  count: 14,
  since: '2026-11-19T18:30:00.000Z',
  data: { credits: 3420, users: 9 },
});
const ECONOMY = {
  days: ['2026-11-20', '2026-11-21'],
  flows: [{ account: 'reward.afk', minted: [10, 70], burnt: [0, 0] }],
  circulation: [5000, 5400],
  velocity: null,
  reserved: { count: 0, credits: 0 },
  held: { count: 0, credits: 0 },
  sources: [
    { source: 'afk', enabled: true, used: 70, budget: 100 },
    { source: 'redeem', enabled: false, used: 0, budget: 0 },
  ],
  earners: [],
  forecast: null,
};
const QUEUE = {
  rows: [
    {
      id: 'q1',
      server: { id: 's1', name: 'Skyhold SMP', state: 'queued' },
      owner: { id: 'u2', username: 'lukas99', status: 'active' },
      created_at: '2026-11-21T18:00:00.000Z',
    },
  ],
  counts: { building: 0 },
};
const HEALTH_ROW = { subject: null, code: 'fine', facts: {}, checked_at: '', took_ms: 1, trend: [] };
const HEALTH = {
  rows: [
    { ...HEALTH_ROW, key: 'database', status: 'ok' },
    { ...HEALTH_ROW, key: 'disk', code: 'low', status: 'warning' },
  ],
};
const LOGS = { lines: [], older: null, end: null, level: 'info' };
const RELEASE = { version: '1.2.0', date: '2026-11-20', notes: 'https://code.example/1.2.0', security: true };
const UPDATES = {
  version: '1.1.0',
  enabled: false,
  configured: false,
  checked_at: null,
  outcome: null,
  newest: null,
  behind: 0,
  security: false,
};
const REPOSITORY = { version: '1.1.0', repository: null, releases: [] };
const NONE = { ...Object.fromEntries(Object.keys(NUMBERS).map((key) => [key, null])), ledger: null, guide: null };
const steps = (location: boolean, egg: boolean) => [
  step('location', location),
  step('category', true),
  step('egg', egg),
];
const entry = {
  id: 'a',
  at: '2026-11-21T18:00:00.000Z',
  actor: 'radu',
  action: 'locations.edit',
  target: '<b>Paris</b>',
};
interface Given {
  readonly permissions?: readonly string[];
  readonly items?: readonly object[];
  readonly answers?: Answers;
}
const show = (
  answer: object,
  activity: object,
  { permissions = ['admin.root'], items = [], answers = {} }: Given = {},
) =>
  showScreen(overview, {
    url: '/mc-admin',
    answers: {
      'GET /api/admin/overview': answer,
      'GET /api/admin/overview/activity': activity,
      'GET /api/admin/attention': { at: NOW, items },
      'GET /api/user/session': { permissions },
      'GET /api/admin/economy': ECONOMY,
      'GET /api/admin/server-queue': QUEUE,
      'GET /api/admin/health': HEALTH,
      'GET /api/admin/logs': LOGS,
      'GET /api/admin/tickets/summary': {
        open: 0,
        unassigned: 0,
        oldest_since: null,
        closed_today: 0,
        answer_ms: null,
      },
      'GET /api/admin/updates': UPDATES,
      'GET /api/admin/updates/repository': REPOSITORY,
      ...answers,
    },
    session: { permissions },
  });

test('the overview shows numbers, and what was changed by whom, as text', async () => {
  const { container } = show(
    { ...NUMBERS, setup: steps(true, true) },
    { entries: [entry, { ...entry, id: 'b', actor: null, action: 'new.thing' }] },
  );
  expect(await screen.findByText('radu edited the location <b>Paris</b>')).toBeTruthy();
  expect(screen.getByText('System: new.thing')).toBeTruthy();
  expect(screen.getByText('1 new today')).toBeTruthy();
  expect(container.textContent).toContain('1,200');
  expect(screen.queryByText('Before players can create servers')).toBeNull();
});

test('the check list leads to what is missing', async () => {
  show({ ...NUMBERS, setup: steps(true, false) }, { entries: [] });
  const egg = await screen.findByText('Add an egg');
  expect(egg.closest('a')?.getAttribute('href')).toBe('/mc-admin/eggs/create');
  expect(screen.getByText('Add a location').closest('a')).toBeNull();
  expect(await screen.findByText('No changes yet')).toBeTruthy();
});

test('the components are not there without their permissions', async () => {
  show({ ...NONE, setup: steps(false, false) }, refuse('FORBIDDEN'), { permissions: ['admin.dashboard.view'] });
  expect((await screen.findByText('Add a location')).closest('a')).toBeNull();
  expect(screen.queryByRole('region', { name: 'At a glance' })).toBeNull();
  expect(screen.queryByText('Activity')).toBeNull();
  expect(screen.queryByText('Quick actions')).toBeNull();
});

test('activity that cannot be had says so and leaves the rest', async () => {
  show({ ...NUMBERS, setup: steps(true, true) }, refuse('SERVER_ERROR'));
  expect(await screen.findByText('Couldn’t load this')).toBeTruthy();
  expect(screen.getByText('In circulation')).toBeTruthy();
});

test('P5 an unreachable panel and a refused key are on the overview, with since when and how many wait', async () => {
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] }, { items: OUTAGES });
  const main = (await screen.findByText('Main rejects its key')).closest('li');
  expect(main?.querySelector('a')?.getAttribute('href')).toBe('/mc-admin/panels/p1/edit');
  expect(main?.textContent).toContain('3 new servers are waiting.');
  expect(main?.querySelector('time')?.textContent).toBe('1 h 30 min');
  expect(screen.getByText('Paris can’t reach the node par-1')).toBeTruthy();
  cleanup();
  show(
    { ...NUMBERS, setup: steps(true, true) },
    { entries: [] },
    { items: OUTAGES, permissions: ['admin.panels.list'] },
  );
  const readOnly = (await screen.findByText('Main rejects its key')).closest('li');
  expect(readOnly?.querySelector('a')?.getAttribute('href')).toBe('/mc-admin/panels');
  cleanup();
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] });
  expect(await screen.findByText('All clear')).toBeTruthy();
});

test('what needs a person stands with what is broken first, then what waits longest, and one button is primary', async () => {
  const failed = item('failedServers', { count: 3, data: { names: 'Skyhold SMP, Voice', more: 1 } });
  const orders = item('ordersToConfirm', {
    data: { total: 4497, currency: 'EUR', label: 'SP-7K2Q', username: 'lukas99' },
  });
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] }, { items: [orders, REWARDS, failed] });
  await screen.findByText('14 rewards on hold');
  expect([...document.querySelectorAll('.sp-need h3')].map(({ textContent }) => textContent)).toEqual([
    '3 servers couldn’t be created',
    '14 rewards on hold',
    '1 payment to confirm',
  ]);
  expect(screen.getByText('3,420 credits for 9 users.')).toBeTruthy();
  expect(screen.getByText('€44.97 in total. The oldest is SP-7K2Q from lukas99.')).toBeTruthy();
  expect(screen.getByText(/^Skyhold SMP, Voice and 1 more/)).toBeTruthy();
  expect(document.querySelectorAll('.sp-need [data-variant="primary"]')).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'Confirm payments' }).getAttribute('href')).toBe(
    '/mc-admin/payments?provider=manual&state=pending',
  );
});

test('quick actions are those that the member of staff may use, each with its page', async () => {
  const links = async (...permissions: string[]) => {
    show({ ...NUMBERS, layout: ['quick'], setup: steps(true, true) }, { entries: [] }, { permissions });
    const card = (await screen.findByRole('heading', { name: 'Quick actions' })).closest('section, article, .sp-card');
    const found = [...(card?.querySelectorAll('a') ?? [])].map((link) => [link.textContent, link.getAttribute('href')]);
    cleanup();
    return found;
  };
  expect(await links('admin.root')).toEqual([
    ['Adjust credits', '/mc-admin/users'],
    ['Write announcement', '/mc-admin/announcements/create'],
    ['Back up', '/mc-admin/backups'],
    ['Sync panels', '/mc-admin/panels'],
    ['Create code', '/mc-admin/redeem-codes/create'],
    ['Add egg', '/mc-admin/eggs/create'],
    ['Add location', '/mc-admin/locations/create'],
  ]);
  // Who may only look at a page gets no link to act there.
  const reader = ['admin.users.list', 'admin.backups.list', 'admin.panels.list', 'admin.redeem.codes.create'];
  const quick = 'admin.dashboard.components.quickactions.view';
  expect(await links('admin.dashboard.view', quick, ...reader)).toEqual([
    ['Create code', '/mc-admin/redeem-codes/create'],
  ]);
});

test('an item is put off by its menu and had back, and J and K move through the list', async () => {
  const bodies: unknown[] = [];
  const note = ({ body }: { readonly body: unknown }) => {
    bodies.push(body);
    return {};
  };
  const asleep = { ...REWARDS, id: 'drift', key: 'drift', count: 2, snoozed_until: '2026-11-22T18:30:00.000Z' };
  show(
    { ...NUMBERS, layout: ['quick'], setup: steps(true, true) },
    { entries: [] },
    {
      items: [...OUTAGES, asleep],
      answers: { 'PUT /api/admin/attention/snooze': note, 'PUT /api/admin/attention/unsnooze': note },
    },
  );
  await screen.findByText('Main rejects its key');
  expect(screen.queryByText(/differ between panel/)).toBeNull();
  // Keys are listened to a moment after the list is there.
  await waitFor(() => {
    fireEvent.keyDown(document.body, { key: 'j' });
    expect(document.activeElement?.closest('li')?.textContent ?? '').toContain('Main rejects its key');
  });
  fireEvent.keyDown(document.body, { key: 'j' });
  fireEvent.keyDown(document.body, { key: 'j' });
  expect(document.activeElement?.closest('li')?.textContent).toContain('Paris');
  fireEvent.keyDown(document.body, { key: 'k' });
  expect(document.activeElement?.closest('li')?.textContent).toContain('Main');
  fireEvent.click(screen.getAllByText('Snooze until tomorrow')[0] as HTMLElement);
  await waitFor(() => expect(bodies).toEqual([{ item: 'panelOutages:p1/', hours: 24 }]));
  fireEvent.click(screen.getByRole('button', { name: 'Show snoozed' }));
  expect(screen.getByText(/^Snoozed until 22 Nov 2026/)).toBeTruthy();
  fireEvent.click(screen.getByText('Stop snoozing'));
  await waitFor(() => expect(bodies).toHaveLength(2));
  expect(bodies[1]).toEqual({ item: 'drift' });
});

test('E10 faults of the ledger stand first, in words, and are gone when there are none', async () => {
  const since = '2026-11-21T18:00:00.000Z';
  const faults = [
    { proof: 'sum', account: null, row: null, stored: 1300, expected: 0, since },
    { proof: 'postings', account: 'mirela', row: null, stored: 1800, expected: 500, since },
  ];
  show({ ...NUMBERS, ledger: { total: 12, faults }, setup: steps(true, true) }, { entries: [] });
  expect(await screen.findByText('The ledger has 12 errors')).toBeTruthy();
  expect(screen.getByText('All balances add up to 1,300 instead of 0')).toBeTruthy();
  expect(screen.getByText('mirela: balance is 1,800, but its postings add up to 500')).toBeTruthy();
  cleanup();
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] });
  expect(await screen.findByText('1 new today')).toBeTruthy();
  expect(screen.queryByText(/The ledger has/)).toBeNull();
});

test('the parts show the economy of today, the queue, and what the checks complain of', async () => {
  const { container } = show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] });
  const economy = (await screen.findByRole('heading', { name: 'Economy today' })).closest('section');
  await waitFor(() => expect(economy?.textContent).toContain('70 of 100'));
  expect(economy?.textContent).toContain('Stopped');
  const colours = await screen.findByRole('list', { name: 'All days' });
  expect(colours.textContent).toContain('AFK');
  expect(screen.getByRole('img', { name: /minted and .* burnt/ })).toBeTruthy();
  expect((await screen.findByText('Skyhold SMP')).closest('a')?.getAttribute('href')).toBe('/mc-admin/server-queue/q1');
  const checks = await screen.findByRole('list', { name: 'System' });
  expect([...checks.children].map(({ firstChild }) => firstChild?.textContent)).toEqual(['Disk', '1 check is fine']);
  expect(container.querySelectorAll('.sp-glance .sp-spark')).toHaveLength(5);
});

test('a chosen layout shows those parts alone and in their order, and asks for nothing else', async () => {
  const bodies: unknown[] = [];
  const asked: string[] = [];
  const note = (name: string) => () => {
    asked.push(name);
    return name === 'queue' ? QUEUE : {};
  };
  show(
    { ...NUMBERS, layout: ['quick', 'queue'], setup: steps(true, true) },
    { entries: [] },
    {
      answers: {
        'GET /api/admin/server-queue': note('queue'),
        'GET /api/admin/economy': note('economy'),
        'GET /api/admin/health': note('health'),
        'PUT /api/admin/overview/layout': ({ body }) => {
          bodies.push(body);
          return {};
        },
      },
    },
  );
  await screen.findByText('Skyhold SMP');
  expect(asked).toEqual(['queue']);
  expect(screen.queryByRole('region', { name: 'At a glance' })).toBeNull();
  const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  expect(titles.slice(1, 3)).toEqual(['Quick actions', 'Queue']);
  fireEvent.click(screen.getByRole('button', { name: 'Move Quick actions down' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Activity' }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(bodies).toEqual([{ parts: ['queue', 'quick', 'activity'] }]));
  // The parts may still be loading anew: what suspends meanwhile is waited for.
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Reset' })));
  await waitFor(() => expect(bodies).toHaveLength(2));
  expect(bodies[1]).toEqual({ parts: null });
});

test('a newer release is there with what is new in it, and is asked for again by a button', async () => {
  const checked = { ...UPDATES, enabled: true, configured: true, checked_at: SINCE, outcome: 'ok' };
  const { calls } = show(
    { ...NUMBERS, setup: steps(true, true) },
    { entries: [] },
    {
      answers: {
        'GET /api/admin/updates': { ...checked, newest: RELEASE, behind: 2, security: true },
        'POST /api/admin/updates/check': { ...checked, newest: RELEASE, behind: 2, security: true },
        'GET /api/admin/updates/repository': {
          version: '1.1.0',
          repository: 'https://code.example/spawnpoint',
          releases: [RELEASE, { ...RELEASE, version: '1.1.0' }],
        },
      },
    },
  );
  expect(await screen.findByText('1.2.0 includes a security fix')).toBeTruthy();
  expect(screen.getByText(/2 releases newer than 1.1.0/)).toBeTruthy();
  expect(screen.getByText('What’s new').getAttribute('href')).toBe(RELEASE.notes);
  expect(screen.getByText('code.example').getAttribute('rel')).toBe('noreferrer');
  expect(screen.getByText('runs here').closest('li')?.textContent).toContain('1.1.0');
  fireEvent.click(screen.getByRole('button', { name: 'Check now' }));
  await waitFor(() => expect(calls('POST /api/admin/updates/check')).toHaveLength(1));
});

test('a check for releases that is turned off leads owners to the settings, and a feed of another key is said to be ignored', async () => {
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] });
  expect((await screen.findByText('Open settings')).getAttribute('href')).toBe('/mc-admin/settings?q=update_');
  expect(screen.queryByRole('button', { name: 'Check now' })).toBeNull();
  cleanup();
  const answers = { 'GET /api/admin/updates': { ...UPDATES, enabled: true, configured: true, outcome: 'signature' } };
  show({ ...NUMBERS, setup: steps(true, true) }, { entries: [] }, { answers });
  expect(await screen.findByText('The release feed isn’t signed with your key, so it was ignored.')).toBeTruthy();
  expect(screen.getByText('Nothing is known about newer releases yet.')).toBeTruthy();
});

test('the last warnings and errors lead to the log of their request', async () => {
  const line = {
    id: 'l1',
    at: SINCE,
    level: 'error',
    event: 'http.failed',
    request_id: 'r-1',
    details: 'x'.repeat(500),
  };
  const lines = [line, ...[2, 3, 4, 5, 6].map((n) => ({ ...line, id: `l${n}`, level: 'warn', request_id: null }))];
  show(
    { ...NUMBERS, setup: steps(true, true) },
    { entries: [] },
    {
      answers: { 'GET /api/admin/logs': { ...LOGS, lines } },
    },
  );
  const list = await screen.findByRole('list', { name: 'Log' });
  expect(list.querySelectorAll('li')).toHaveLength(5);
  expect(list.querySelector('a')?.getAttribute('href')).toBe('/mc-admin/logs?request=r-1');
  expect(list.querySelector('.sp-list__sub')?.textContent).toHaveLength(161);
});

test('the figures of seven days stand beside the seven before them, and of today beside nothing', async () => {
  const period = { days: 7, now: { users: 9, minted: 150, burnt: 30 }, before: { users: 4, minted: 200, burnt: 0 } };
  const overviewOf = (call: { path: string }) => ({
    ...NUMBERS,
    setup: steps(true, true),
    ...(call.path.includes('days=7') ? { period } : {}),
  });
  show({}, { entries: [] }, { answers: { 'GET /api/admin/overview': overviewOf } });
  expect((await screen.findByText('1 new today')).textContent).toBe('1 new today');
  expect(screen.queryByText(/days before/)).toBeNull();
  const choice = screen.getByRole('link', { name: 'Today' });
  expect(choice.getAttribute('aria-current')).toBe('true');
  fireEvent.click(screen.getByRole('link', { name: '7 days' }));
  expect(await screen.findByText('9 new')).toBeTruthy();
  expect(screen.getByText(/^−25\s% on the 7 days before$/)).toBeTruthy();
  // Where there was nothing before, there is nothing to compare with.
  expect(screen.getByText('spent')).toBeTruthy();
});

test('nothing is asked for that the visitor may not see or has left out', async () => {
  const { calls } = show(
    { ...NONE, period: null, layout: ['queue', 'system'], setup: steps(true, true) },
    { entries: [] },
    { permissions: ['admin.dashboard.view', 'admin.server.queue.list', 'admin.economy.view'] },
  );
  expect(await screen.findByText('Skyhold SMP')).toBeTruthy();
  for (const path of ['overview/activity', 'economy', 'health', 'logs', 'updates', 'updates/repository'])
    expect(calls(`GET /api/admin/${path}`)).toEqual([]);
});
