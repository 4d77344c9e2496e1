import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin');
const { cleanup, configure, screen } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const overview = await import('./screen.tsx');

configure({ asyncUtilTimeout: 5000 });
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
  ledger: { total: 0, faults: [] },
  guide: null,
};
const OUTAGES = [
  {
    panel_id: 'p1',
    panel: 'Main',
    node: null,
    cause: 'key',
    reason: 'key',
    since: '2026-11-21T17:00:00.000Z',
    waiting: 3,
  },
  {
    panel_id: 'p2',
    panel: 'Paris',
    node: 'par-1',
    cause: 'node',
    reason: null,
    since: '2026-11-21T17:30:00.000Z',
    waiting: 0,
  },
];
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
const show = (answer: object, activity: object, permissions: readonly string[] = ['admin.root']) =>
  showScreen(overview, {
    url: '/mc-admin',
    answers: { 'GET /api/admin/overview': answer, 'GET /api/admin/overview/activity': activity },
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
  show({ ...NONE, setup: steps(false, false) }, refuse('FORBIDDEN'), ['admin.dashboard.view']);
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
  show({ ...NUMBERS, setup: steps(true, true), outages: OUTAGES }, { entries: [] });
  const main = await screen.findByText('Main rejects its key');
  expect(main.closest('a')?.getAttribute('href')).toBe('/mc-admin/panels/p1/edit');
  expect(screen.getByText('3 servers waiting')).toBeTruthy();
  expect(screen.getByText('Paris can’t reach the node par-1')).toBeTruthy();
  cleanup();
  show({ ...NUMBERS, setup: steps(true, true), outages: [] }, { entries: [] });
  await screen.findByText('No changes yet');
  expect(screen.queryByText('Panels that need attention')).toBeNull();
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
