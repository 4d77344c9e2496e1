import { afterEach, beforeEach, expect, test } from 'bun:test';
import texts from '#locales/en/palette.json';
import { palette as registry } from '#client/lib/palette.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { act, cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { MIRELA, showScreen } = await import('#tests/support/screens.tsx');
const { CUSTOMIZE_EVENT } = await import('#client/lib/palette.ts');
const { ApiProvider } = await import('#client/lib/use-api.ts');
const { createApi } = await import('#shared/contract/index.ts');
const { PaletteButton } = await import('./button.tsx');
const { isDestination } = await import('./entries.ts');
const { RECENT_KEY } = await import('./recent.ts');
const { ROUTE_LIST } = await import('#shared/routes/table.ts');

const SERVER = '0190a000-0000-7000-8000-000000000001';
const server = (name: string, can = { update: true, renew: true, delete: true, retry: false }) => ({
  id: SERVER,
  name,
  description: '',
  state: 'active',
  suspend_reason: null,
  failure: null,
  address: null,
  egg: { id: SERVER, name: 'Paper', shape: 'cube', hue: 1 },
  location: { id: SERVER, name: 'Frankfurt', code: 'DE' },
  resources: { memory: 1, disk: 1, cpu: 1, ports: 1, databases: 0, backups: 0 },
  progress: null,
  created_at: '2026-11-21T18:30:00.000Z',
  expires_at: null,
  deletes_at: null,
  auto_renew: false,
  queue: null,
  can,
});
const dashboard = (servers: readonly object[]) => ({
  now: '2026-11-21T18:30:00.000Z',
  balance: 0,
  earned_today: 0,
  earned_30_days: 0,
  history: [],
  afk: null,
  meters: {},
  servers,
  renew_cost: 1,
  due: 0,
  statement: [],
  next: [],
});

const NOTHING = { users: [], servers: [], orders: [], codes: [], queue: [] };
/** What staff searched for, and what they find: a test's own. */
const searched: string[] = [];
let lists: object = {};
function found(q: string): object {
  searched.push(q);
  return { success: true, error_code: null, ...NOTHING, ...lists };
}

/** A page with nothing but the search; its API knows the own servers. */
function show(
  answer: object = dashboard([server('Skyhold SMP')]),
  more: Partial<Parameters<typeof showScreen>[1]> = {},
) {
  const api = createApi(
    async (path) => {
      const { pathname, searchParams } = new URL(path, 'https://panel.example');
      if (pathname === '/api/admin/search') return Response.json(found(searchParams.get('q') ?? ''));
      return Response.json('success' in answer ? answer : { success: true, error_code: null, ...answer });
    },
    () => 'key',
  );
  return showScreen(
    {
      default: () => (
        <ApiProvider value={api}>
          <PaletteButton />
        </ApiProvider>
      ),
    },
    { url: '/dashboard', ...more },
  );
}
const field = () => screen.findByRole('combobox', { name: texts.placeholder });
const press = (key: string) => fireEvent.keyDown(screen.getByRole('combobox'), { key });
const type = (value: string) => fireEvent.change(screen.getByRole('combobox'), { target: { value } });
const options = () => [...document.querySelectorAll<HTMLElement>('[role="option"]')];
const names = () => options().map((option) => option.textContent ?? '');
const chosen = () =>
  options()
    .filter((option) => option.getAttribute('aria-selected') === 'true')
    .map((option) => option.textContent);
/** The line that begins with these words, once it is there. */
const line = (words: string) =>
  waitFor(
    () =>
      options().find((option) => option.textContent?.startsWith(words)) ??
      Promise.reject(new Error(`${words}: ${names().join('|')}`)),
  );
async function open(): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name: /Search or jump to/ }));
  await field();
}

beforeEach(() => {
  localStorage.clear();
  searched.length = 0;
  lists = {};
});
afterEach(cleanup);

test('Ctrl K opens the palette and closes it again, and the focus goes back where it was', async () => {
  show();
  const button = await screen.findByRole('button', { name: /Search or jump to/ });
  button.focus();
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  await field();
  expect(document.activeElement?.getAttribute('role')).toBe('combobox');
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
  expect(document.activeElement?.className).toBe('sp-topbar__search');
  fireEvent.keyDown(document.body, { key: 'K', metaKey: true });
  await field();
});

test('the arrows choose, round and round, and Enter goes there', async () => {
  show();
  await open();
  type('store');
  await waitFor(() => expect(chosen()[0]).toContain('Store'));
  const active = screen.getByRole('combobox').getAttribute('aria-activedescendant') ?? '';
  expect(document.getElementById(active)?.textContent).toContain('Store');
  type('');
  await waitFor(() => expect(options().length).toBeGreaterThan(3));
  const all = names();
  press('ArrowUp');
  expect(chosen()).toEqual(all.slice(-1));
  press('ArrowDown');
  press('ArrowDown');
  expect(chosen()).toEqual(all.slice(1, 2));
  type('redeem');
  await waitFor(() => expect(chosen()[0]).toContain('Redeem a code'));
  press('Enter');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/earn/redeem');
});

test('own servers and what can be done with them are found by name', async () => {
  show();
  await open();
  await line('Skyhold SMP');
  type('ren sky');
  await waitFor(() => expect(chosen()).toEqual(['Renew Skyhold SMP']));
  press('Enter');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe(`/server/${SERVER}/renew`);
});

test('nothing is offered that the visitor may not do', async () => {
  const noRenewal = dashboard([server('Skyhold SMP', { update: false, renew: false, delete: false, retry: false })]);
  show(noRenewal, { flags: { store_enabled: false } });
  await open();
  await line('Skyhold SMP');
  expect(names().join('|')).not.toContain('Store');
  expect(names().join('|')).not.toContain('Renew');
  expect(names().join('|')).not.toContain('Locations');
});

test('staff find the admin areas, and what is added there', async () => {
  show(undefined, { session: { user: MIRELA, permissions: ['admin.locations.list', 'admin.locations.create'] } });
  await open();
  type('loc');
  await line('Locations');
  expect(names().join('|')).toContain('New location');
  type('egg');
  await waitFor(() => expect(options()).toEqual([]));
});

test('staff find a user by what the line does not show, and what can be done about them', async () => {
  lists = { users: [{ id: SERVER, username: 'ionut', email: 'ionut@example.org', status: 'active' }] };
  show(undefined, { session: { user: MIRELA, permissions: ['admin.root'] } });
  await open();
  type('192.0.2.44');
  await line('ionut');
  expect(names()).toContain('Ban ionut');
  expect(searched).toEqual(['192.0.2.44']);
  type('give credits to io');
  await waitFor(() => expect(chosen()).toEqual(['Give credits to ionut']));
  press('Enter');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe(`/mc-admin/users/${SERVER}/edit`);
});

test('an amount that staff type before the name goes with them to the form', async () => {
  lists = { users: [{ id: SERVER, username: 'ionut', email: 'ionut@example.org', status: 'active' }] };
  show(undefined, { session: { user: MIRELA, permissions: ['admin.root'] } });
  await open();
  type('give 500 ionut');
  await waitFor(() => expect(names()).toContain('Give 500 credits to ionut'));
  type('give 0 ionut');
  await waitFor(() => expect(names()).toContain('Give credits to ionut'));
  type('give 500 ionut');
  fireEvent.click(await line('Give 500 credits to ionut'));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe(`/mc-admin/users/${SERVER}/edit?amount=500`);
});

test('what is found leads to its page where the visitor may open it, and to its list otherwise', async () => {
  lists = {
    users: [{ id: SERVER, username: 'ionut', email: 'ionut@example.org', status: 'active' }],
    servers: [{ id: SERVER, name: 'ion hub', state: 'active', address: '198.51.100.7:25565', owner: 'ionut' }],
    orders: [
      {
        id: SERVER,
        label: 'ION12345',
        username: 'ionut',
        provider: 'manual',
        state: 'pending',
        amount: 500,
        currency: 'EUR',
      },
    ],
    codes: [{ id: SERVER, code: 'IONS', credits: 5 }],
    queue: [{ id: SERVER, server: 'ion two', username: 'ionut', state: 'failed' }],
  };
  show(undefined, { session: { user: MIRELA, permissions: ['admin.dashboard.view', 'admin.users.list'] } });
  await open();
  type('ion');
  await line('ionut');
  expect(names().filter((name) => /^(?:Give|Ban|Suspend|Retry|Confirm)/.test(name))).toEqual([]);
  fireEvent.click(await line('ionut'));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/mc-admin/users?q=ionut');
  cleanup();
  show(undefined, { session: { user: MIRELA, permissions: ['admin.root'] } });
  await open();
  type('ion');
  await line('ionut');
  for (const words of ['Suspend ion hub', 'Retry ion two', 'Confirm payment ION12345', 'IONS']) await line(words);
  expect(names().join('|')).toContain('ionut · €5.00');
});

test('a player’s search asks nothing of staff, and staff find settings by their key', async () => {
  show();
  await open();
  type('sky');
  await line('Skyhold SMP');
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(searched).toEqual([]);
  expect(names().join('|')).not.toContain('Settings');
  cleanup();
  show(undefined, { session: { user: MIRELA, permissions: ['admin.settings.view'] } });
  await open();
  type('gift_fee_percent');
  fireEvent.click(await line('Fee for gifts'));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/mc-admin/settings?q=gift_fee_percent');
});

test('a command of the palette is carried out: theme, language, the look, logging out', async () => {
  const done: string[] = [];
  document.addEventListener(CUSTOMIZE_EVENT, () => done.push('customize'), { once: true });
  show(undefined, {
    shell: { setTheme: (theme) => void done.push(theme), setLocale: (locale) => void done.push(locale) },
  });
  for (const words of ['theme', 'deutsch', 'customise']) {
    await open();
    type(words);
    await waitFor(() => expect(options()).toHaveLength(1));
    press('Enter');
    await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
  }
  expect(done).toEqual(['light', 'de', 'customize']);
  await open();
  type('log out');
  await waitFor(() => expect(chosen()).toEqual(['Log out']));
  press('Enter');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/logout');
});

test('what was used lately comes first the next time', async () => {
  localStorage.setItem(RECENT_KEY, 'not json');
  show();
  await open();
  type('theme');
  await waitFor(() => expect(options()).toHaveLength(1));
  press('Enter');
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
  await open();
  const [recent] = document.querySelectorAll('[role="group"]');
  expect(recent?.textContent).toBe(`${texts.group.recent}Switch to light`);
  expect(chosen()).toEqual(['Switch to light']);
});

test('other parts may add entries, and one that fails leaves all others', async () => {
  const ran: string[] = [];
  const leave = [
    registry.register(() => [{ id: 'x', group: 'do', label: 'Feed the llamas', run: () => void ran.push('fed') }]),
    registry.register(() => Promise.reject(new Error('none'))),
  ];
  show();
  await open();
  // A group shows its first eight: what is added stands behind them, and is found by its words.
  type('llamas');
  const added = await line('Feed the llamas');
  expect(screen.getByRole('alert').textContent).toBe(texts.failed);
  fireEvent.click(added);
  expect(ran).toEqual(['fed']);
  leave.forEach((each) => each());
});

test('the palette says when nothing fits, and when the servers could not be asked', async () => {
  show({ success: false, error_code: 'SERVER_ERROR' });
  await open();
  expect((await screen.findByRole('alert')).textContent).toBe(texts.failed);
  type('qqqq');
  expect(await screen.findByText('No results for “qqqq”.')).toBeTruthy();
  expect(screen.queryByRole('listbox')).toBeNull();
});

test('palette.open() opens it from anywhere', async () => {
  show();
  await screen.findByRole('button', { name: /Search or jump to/ });
  act(() => registry.open());
  await field();
});

test('Screen 8 call-backs and pages about one thing are no places to go to, whatever the visitor may do', async () => {
  // By their addresses, whatever the table says of them: what a sponsor, Discord or a row of a list leads to.
  const technical = ROUTE_LIST.filter(({ path }) =>
    /[:*]|\/(?:return|callback|linked|delete|adopt)(?:\/|$)/.test(path),
  ).map(({ id }) => id);
  expect(technical).toContain('earn.links.return');
  expect(ROUTE_LIST.filter((row) => isDestination(row) && technical.includes(row.id))).toEqual([]);
  // And everything of the navigation is one.
  expect(ROUTE_LIST.filter((row) => row.nav && !isDestination(row))).toEqual([]);
  show(undefined, { session: { user: MIRELA, permissions: ['admin.root'] } });
  await open();
  for (const words of ['back', 'sponsor', 'delete', 'adopt']) {
    type(words);
    await waitFor(() => expect(names().filter((name) => /^(?:Back from|Delete\b|Take over)/.test(name))).toEqual([]));
  }
  type('links');
  await line('Links');
  // What staff type is looked for on the server as well, a moment later: that comes while the test still waits.
  await waitFor(() => expect(searched).toContain('links'));
});
