import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/users');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const ROW = {
  id: ID(1),
  username: 'tobi_k',
  email: 'tobi@example.org',
  status: 'active',
  role: { name: 'VIP', color: '#888888' },
  credits: 3180,
  debt: 0,
  verified: true,
  factor: false,
  spent: false,
  created_at: NOW,
  seen_at: null,
};
const PAGING = { per_page: 25, total: 2, more: false, before: null, after: null };
const LISTED = {
  rows: [ROW, { ...ROW, id: ID(2), username: 'mirela', status: 'banned', debt: 70, factor: true, spent: true }],
  paging: PAGING,
  roles: [{ id: ID(9), name: 'VIP' }],
};
const staff = { session: { permissions: ['admin.root'] } };
const showList = (search: string, listed: object = LISTED, who: object = staff) =>
  showScreen(list, { url: `/mc-admin/users${search}`, answers: { 'GET /api/admin/users': listed }, ...who });

test('the list asks what the address says, and leads to each user', async () => {
  const { calls } = showList(`?q=tob&role=${ID(9)}&debt=maybe&factor=false&unspent=true&sort=-credits`);
  expect((await screen.findByRole('link', { name: 'tobi_k' })).getAttribute('href')).toBe(
    `/mc-admin/users/${ID(1)}/edit`,
  );
  expect(calls('GET /api/admin/users')[0]?.path).toBe(
    `/api/admin/users?role=${ID(9)}&factor=false&unspent=true&q=tob&per_page=25&sort=-credits`,
  );
  expect(screen.getByText('owes 70')).toBeTruthy();
  // The group of the navigation is named like the page: it stands in the breadcrumb once.
  const way = within(screen.getByRole('navigation', { name: 'Breadcrumb' }));
  expect(way.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Admin area', 'Users']);
  expect(screen.getAllByText('no session on record')).toHaveLength(2);
  expect(screen.getByRole('columnheader', { name: 'Credits' }).getAttribute('aria-sort')).toBe('descending');
  expect(screen.getByRole('link', { name: 'Export as CSV' }).getAttribute('href')).toBe(
    `/api/admin/users/export.csv?role=${ID(9)}&factor=false&unspent=true&q=tob&sort=-credits`,
  );
});

test('without the permission to edit there is no link; nobody found is said', async () => {
  showList('', LISTED, { session: { permissions: ['admin.users.list'] } });
  expect(await screen.findByText('tobi_k')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'tobi_k' })).toBeNull();
  cleanup();
  showList('?q=zzz', { ...LISTED, rows: [], paging: { ...PAGING, total: 0 } });
  expect(await screen.findByRole('heading', { name: 'No results' })).toBeTruthy();
});

test('the list says how many there are as far as anybody counts, and leads to its pages', async () => {
  const [before, after] = [`100~${ID(1)}`, `70~${ID(2)}`];
  showList('?sort=-credits&columns=role', { ...LISTED, paging: { ...PAGING, total: 1000, more: true, before, after } });
  expect(await screen.findByText('more than 1,000 users')).toBeTruthy();
  const leads = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  const kept = '/mc-admin/users?sort=-credits';
  expect(leads('First page')).toBe(`${kept}&columns=role`);
  expect(leads('Previous')).toBe(`${kept}&before=100%7E${ID(1)}&columns=role`);
  expect(leads('Next')).toBe(`${kept}&after=70%7E${ID(2)}&columns=role`);
});

test('the columns are those of the address, and each entry of the menu adds or takes one', async () => {
  showList('?columns=factor,spent,password', LISTED, { session: { permissions: ['admin.users.list'] } });
  expect(await screen.findByText('Spent nothing', { selector: 'td' })).toBeTruthy();
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'User',
    'Second factor',
    'Spending',
  ]);
  const menu = screen.getByRole('menu', { name: 'Columns', hidden: true });
  const entry = (name: string) => within(menu).getByRole('menuitemcheckbox', { name, hidden: true });
  expect([entry('Role'), entry('Second factor')].map((each) => each.getAttribute('aria-checked'))).toEqual([
    'false',
    'true',
  ]);
  expect(entry('Role').getAttribute('href')).toBe('/mc-admin/users?columns=role%2Cfactor%2Cspent');
  expect(entry('Spending').getAttribute('href')).toBe('/mc-admin/users?columns=factor');
  cleanup();
  showList('?columns=role');
  expect((await screen.findByRole('menuitemcheckbox', { name: 'Role', hidden: true })).getAttribute('href')).toBe(
    '/mc-admin/users?columns=none',
  );
});

test('a span of "last seen" goes with the order by it, and a cursor of another order is left out', async () => {
  const { calls } = showList(`?seen=away&sort=username&after=tobi_k%7E${ID(1)}`);
  expect((await screen.findByRole('columnheader', { name: 'Last seen' })).getAttribute('aria-sort')).toBe('descending');
  expect(calls('GET /api/admin/users')[0]?.path).toBe('/api/admin/users?seen=away&per_page=25&sort=-seen_at');
  expect(within(screen.getByRole('columnheader', { name: 'User' })).queryByRole('link')).toBeNull();
});

test('a command goes to all who are selected, counts who was refused, and nobody stays selected', async () => {
  const path = 'POST /api/admin/users/confirm';
  const { calls } = showScreen(list, {
    url: '/mc-admin/users',
    answers: {
      'GET /api/admin/users': LISTED,
      [path]: { done: 1, refused: [{ id: ID(2), code: 'ALREADY_VERIFIED' }] },
    },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  fireEvent.click(screen.getByRole('button', { name: 'Confirm addresses' }));
  const ask = await screen.findByRole('alertdialog');
  fireEvent.click(within(ask).getByRole('button', { name: 'Confirm addresses' }));
  expect(await screen.findByText('1 address confirmed.')).toBeTruthy();
  expect(screen.getByText('Not done for 1 user.')).toBeTruthy();
  expect(calls(path)[0]?.body).toEqual({ ids: [ID(1), ID(2)] });
  expect(screen.queryByRole('button', { name: 'Confirm addresses' })).toBeNull();
});

test('who is selected stays so over the pages of the list', async () => {
  const after = `1763726400000~${ID(2)}`;
  const next = { ...LISTED, rows: [{ ...ROW, id: ID(3), username: 'oana' }], paging: { ...PAGING, total: 3 } };
  const { calls } = showScreen(list, {
    url: '/mc-admin/users',
    answers: {
      'GET /api/admin/users': ({ path: asked }) =>
        asked.includes('after=') ? next : { ...LISTED, paging: { ...PAGING, total: 3, after } },
      'POST /api/admin/users/confirm': { done: 3, refused: [] },
    },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  fireEvent.click(screen.getByRole('link', { name: 'Next' }));
  expect(await screen.findByText('oana')).toBeTruthy();
  expect(screen.getByRole('region', { name: '2 selected' })).toBeTruthy();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
  expect(screen.getByRole('region', { name: '3 selected' })).toBeTruthy();
  // Of all on this page it takes only those.
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
  expect(screen.getByRole('region', { name: '2 selected' })).toBeTruthy();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select oana' }));
  fireEvent.click(screen.getByRole('button', { name: 'Confirm addresses' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Confirm addresses' }));
  await waitFor(() => expect(calls('POST /api/admin/users/confirm')).toHaveLength(1));
  expect(calls('POST /api/admin/users/confirm')[0]?.body).toEqual({ ids: [ID(1), ID(2), ID(3)] });
});

test('all who match are counted first, get it by the filter, and progress can be cancelled', async () => {
  const run = {
    id: ID(8),
    kind: 'setRole',
    state: 'running',
    by: 'oana',
    total: 1504,
    done: 376,
    refused: 0,
    started_at: NOW,
    finished_at: null,
  };
  let started = false;
  const { calls } = showScreen(list, {
    url: '/mc-admin/users?unspent=true&sort=-credits',
    answers: {
      'GET /api/admin/users': { ...LISTED, paging: { ...PAGING, total: 1000, more: true } },
      'GET /api/admin/users/all/count': { count: 1504 },
      'GET /api/admin/users/all/run': () => ({ run: started ? run : null }),
      'POST /api/admin/users/all/set-role': () => ((started = true), { id: run.id }),
      [`POST /api/admin/users/all/run/${run.id}/cancel`]: {},
    },
    inBrowser: true,
    ...staff,
  });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  fireEvent.click(screen.getByRole('button', { name: 'Select all who match' }));
  expect(await screen.findByRole('region', { name: 'All 1,504 users who match' })).toBeTruthy();
  expect(calls('GET /api/admin/users/all/count')[0]?.path).toBe('/api/admin/users/all/count?unspent=true');
  fireEvent.click(screen.getByRole('button', { name: 'Give a role' }));
  const dialog = await screen.findByRole('dialog');
  // Nothing is chosen before staff do.
  const role = within(dialog).getByLabelText<HTMLSelectElement>('Role');
  expect(role.value).toBe('');
  fireEvent.change(role, { target: { value: ID(9) } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Give a role' }));
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('25');
  expect(calls('POST /api/admin/users/all/set-role')[0]?.body).toEqual({ filter: 'unspent=true', role: ID(9) });
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('Stopped after 376 users.')).toBeTruthy();
  expect(calls(`POST /api/admin/users/all/run/${run.id}/cancel`)).toHaveLength(1);
});

test('a command on all that ends at once says what it came to, and an older one is no news', async () => {
  const run = { id: ID(8), kind: 'confirm', total: 2, done: 1, refused: 1, started_at: NOW, finished_at: NOW };
  const ended = { ...run, state: 'done', by: 'oana' };
  showScreen(list, {
    url: '/mc-admin/users',
    answers: {
      'GET /api/admin/users': { ...LISTED, paging: { ...PAGING, total: 1000, more: true } },
      'GET /api/admin/users/all/count': { count: 1504 },
      'GET /api/admin/users/all/run': { run: ended },
      'POST /api/admin/users/all/confirm': { id: run.id },
    },
    inBrowser: true,
    ...staff,
  });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  fireEvent.click(screen.getByRole('button', { name: 'Select all who match' }));
  expect(await screen.findByRole('region', { name: 'All 1,504 users who match' })).toBeTruthy();
  expect(screen.queryByText(/^Done for/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Confirm addresses' }));
  const dialog = await screen.findByRole('alertdialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Confirm addresses' }));
  expect(await screen.findByText('Done for 1 user. Not done for 1 user.')).toBeTruthy();
});

test('who may only list users selects nobody', async () => {
  showList('', LISTED, { session: { permissions: ['admin.users.list'] } });
  expect(await screen.findByText('tobi_k')).toBeTruthy();
  expect(screen.queryByRole('checkbox')).toBeNull();
});
