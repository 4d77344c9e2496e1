import { afterEach, expect, spyOn, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/panels');
const { act, cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');
const create = await import('./create.tsx');
const edit = await import('./edit.tsx');
const remove = await import('./delete.tsx');
const sync = await import('./sync.tsx');
const { filterOffers, CATALOGUE_LIST, countStates } = await import('./query.ts');
const { readList } = await import('#client/lib/url-state.ts');

afterEach(cleanup);
const ID = '01890000-0000-7000-8000-000000000001';
const API = '/api/admin/panels';
const ALL = [
  'admin.panels.list',
  'admin.panels.create',
  'admin.panels.edit',
  'admin.panels.delete',
  'admin.egg.edit',
  'admin.locations.edit',
];
const AT = '2026-11-21T18:00:00.000Z';
const rights = (missing: readonly string[] = []) =>
  [
    'servers read',
    'servers write',
    'users read',
    'users write',
    'nodes read',
    'allocations read',
    'locations read',
    'nests read',
    'eggs read',
  ].map((each) => {
    const [right, level] = each.split(' ');
    return { right, level, granted: !missing.includes(each) };
  });
const panel = {
  id: ID,
  name: 'Main',
  dialect: 'pterodactyl',
  url: 'https://panel.example.com',
  public_url: null,
  insecure: false,
  enabled: true,
  key: { state: 'set', last4: 'Zx9q' },
  client_key: { state: 'absent', last4: null },
  health: {
    circuit: 'closed',
    opens_again_at: null,
    budget: { limit: 240, left: 182, resets_at: AT },
    last_answer_at: AT,
    last_failure: null,
  },
  checked: { at: AT, fault: null, dialect: 'pterodactyl', rights: rights(), client_key: 'absent' },
  synced: { at: AT, state: 'ok', part: null, fault: null, nodes_failed: [] },
  syncing: false,
  uses: { servers: 12, locations: 2, eggs: 9 },
  news: { fresh: 3, changed: 1, vanished: 2 },
  created_at: AT,
  updated_at: AT,
};
const offer = (more: object) => ({
  kind: 'egg',
  ref: '1',
  name: 'Paper',
  description: 'Fast',
  nest: { ref: '1', name: 'Minecraft' },
  state: 'fresh',
  ours: null,
  changes: [],
  left: [],
  first_at: AT,
  vanished_at: null,
  ...more,
});
const OFFERS = [
  offer({}),
  offer({
    ref: '2',
    name: 'Forge',
    state: 'changed',
    ours: { id: 'e2', name: 'Forge', on: true },
    changes: [
      {
        part: 'startup',
        kind: 'changed',
        subject: null,
        before: 'java -jar a.jar',
        after: 'java -jar b.jar',
        own: true,
      },
      { part: 'variable', kind: 'added', subject: 'VERSION', before: null, after: 'Version', own: false },
    ],
  }),
  offer({ ref: '3', name: 'Sponge', state: 'vanished', ours: { id: 'e3', name: 'Sponge', on: true }, vanished_at: AT }),
  offer({
    kind: 'location',
    ref: '7',
    name: 'de-fra',
    nest: null,
    state: 'current',
    ours: { id: 'l7', name: 'Frankfurt', on: false },
  }),
];
const node = {
  id: '1',
  name: 'node-1',
  fqdn: 'n1.example.com',
  places: ['de-fra'],
  public: true,
  maintenance: false,
  memory: 65_536,
  disk: null,
  memory_used: 12_288,
  disk_used: 64_000,
  ports: 50,
  ports_free: 38,
  vanished_at: null,
};
const catalogue = (more: object = {}) => ({
  panel,
  offers: OFFERS,
  nests: [{ ref: '1', name: 'Minecraft', eggs: 2, waiting: 2, category: null }],
  nodes: [node],
  ...more,
});

const showList = (panels: object[], permissions = ALL, driver = 'pterodactyl') =>
  showScreen(list, {
    url: '/mc-admin/panels',
    answers: { [`GET ${API}`]: { panels, driver } },
    session: { permissions },
  });

test('the list shows the worst known state of each panel, its rate limit left, and what is new', async () => {
  const states: [object, string][] = [
    [{}, 'Connected'],
    [{ checked: { ...panel.checked, rights: rights(['users write']) } }, 'Permissions missing'],
    [{ checked: { ...panel.checked, fault: { fault: 'refused', cause: 'key' } } }, 'Test failed'],
    [{ health: { ...panel.health, circuit: 'open' } }, 'Unreachable'],
    [{ enabled: false, health: null }, 'Disabled'],
    [{ key: { state: 'unreadable', last4: null } }, 'Key unreadable'],
    [{ checked: null }, 'Not tested'],
  ];
  showList(states.map(([more], at) => ({ ...panel, ...more, id: `p${at}`, name: `Panel ${at}` })));
  const rows = await screen.findAllByRole('row');
  for (const [at, [, text]] of states.entries())
    expect(within(rows[at + 1] as HTMLElement).getByText(text)).toBeTruthy();
  expect(within(rows[1] as HTMLElement).getByText('182')).toBeTruthy();
  for (const text of ['3 new', '1 changed', '2 missing'])
    expect(within(rows[1] as HTMLElement).getByText(text)).toBeTruthy();
});

test('without a panel the list says what one is for; who may not connect one is offered nothing', async () => {
  showList([], ALL, 'embedded');
  expect(
    await screen.findByText(/You can try everything with the built-in panel, but it runs no game process/),
  ).toBeTruthy();
  expect(screen.getAllByRole('link', { name: 'Connect panel' }).length).toBe(2);
  cleanup();
  showList([], ['admin.panels.list']);
  expect(await screen.findByText(/Pterodactyl or Pelican panel to run on/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Connect panel' })).toBeNull();
});

test('T50 a refused form comes back without the keys that were typed', async () => {
  const answers = { [`POST ${API}`]: refuse('VALIDATION_FAILED', { key: ['NOT_ALLOWED'], url: ['ADDRESS_TAKEN'] }) };
  const { calls } = showScreen(create, { url: '/mc-admin/panels/create', answers, session: { permissions: ALL } });
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: 'Main' } });
  fireEvent.change(screen.getByLabelText(/^Panel address/), { target: { value: 'https://Panel.example.com/' } });
  fireEvent.change(screen.getByLabelText(/^Application key/), { target: { value: 'ptla_secret' } });
  fireEvent.change(screen.getByLabelText(/^Client key/), { target: { value: 'ptlc_secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  await waitFor(() =>
    expect(calls(`POST ${API}`).map(({ body }) => body)).toEqual([
      {
        name: 'Main',
        url: 'https://panel.example.com',
        dialect: 'auto',
        enabled: true,
        key: 'ptla_secret',
        client_key: 'ptlc_secret',
      },
    ]),
  );
  expect((await screen.findAllByText('The panel rejects this key.')).length).toBeGreaterThan(0);
  expect((screen.getByLabelText(/^Name/) as HTMLInputElement).value).toBe('Main');
  const html = serverHtml(create, { url: '/mc-admin/panels/create', session: { permissions: ALL } }, undefined);
  expect(html).toContain('method="post"');
  expect(html).toMatch(/type="password"[^>]*name="key"|name="key"[^>]*type="password"/);
});

test('what cannot be an address or a client key is refused beside its field, before anything is sent', async () => {
  const { calls } = showScreen(create, { url: '/mc-admin/panels/create', answers: {}, session: { permissions: ALL } });
  fireEvent.change(await screen.findByLabelText(/^Panel address/), {
    target: { value: 'https://panel.example.com/api' },
  });
  fireEvent.change(screen.getByLabelText(/^Client key/), { target: { value: 'ptla_wrong' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  expect((await screen.findAllByText(/Only scheme, host and port/)).length).toBeGreaterThan(0);
  expect(screen.getAllByText(/This isn’t a client key/).length).toBeGreaterThan(0);
  expect(calls(`POST ${API}`)).toEqual([]);
});

const showEdit = (more: object = {}, answers: object = {}) =>
  showScreen(edit, {
    url: `/mc-admin/panels/${ID}/edit`,
    path: '/mc-admin/panels/:id/edit',
    answers: { [`GET ${API}/${ID}`]: { panel: { ...panel, ...more } }, ...answers },
    session: { permissions: ALL },
  });

test('the page of a panel names every right, what a missing one means, and the end of a key but no key', async () => {
  showEdit({ checked: { ...panel.checked, rights: rights(['users write']), client_key: 'refused' }, insecure: true });
  const card = within(await screen.findByRole('list', { name: 'Key permissions' }));
  expect(card.getAllByRole('listitem')).toHaveLength(8);
  expect(card.getByText('Write is missing')).toBeTruthy();
  expect(card.getByText('Players get no panel account.')).toBeTruthy();
  expect(card.getByText('Refused')).toBeTruthy();
  expect(screen.getByText('1 permission is missing.')).toBeTruthy();
  expect(screen.getByText(/reached without encryption/)).toBeTruthy();
  expect(screen.getByText(/A key ending in Zx9q/)).toBeTruthy();
  expect((screen.getByLabelText(/^Application key/) as HTMLInputElement).value).toBe('');
});

test('a test that failed says why; a code nobody knows is shown as it is', async () => {
  for (const [cause, text] of [
    ['tls', /The connection isn’t secure: the certificate is invalid or encryption is missing/],
    ['right:nodes', /lacks this permission: nodes/],
    ['status_502', /error 502/],
    ['strange', /^strange$/],
  ] as const) {
    showEdit({ checked: { ...panel.checked, fault: { fault: 'unavailable', cause }, rights: [] } });
    expect(await screen.findByText(text)).toBeTruthy();
    cleanup();
  }
});

test('saving sends only typed keys, testing is a separate form, and a concurrent change is reported', async () => {
  const { calls } = showEdit(
    {},
    { [`PATCH ${API}/${ID}`]: refuse('CONFLICT'), [`POST ${API}/${ID}/test`]: { checked: panel.checked } },
  );
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: 'Other' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Someone else changed this panel in the meantime/)).toBeTruthy();
  expect(calls(`PATCH ${API}/${ID}`)[0]?.body).toEqual({
    name: 'Other',
    url: panel.url,
    public_url: '',
    dialect: 'pterodactyl',
    enabled: true,
    key: '',
    client_key: '',
    drop_client_key: false,
    updated_at: AT,
  });
  fireEvent.click(screen.getByRole('button', { name: 'Test now' }));
  await waitFor(() => expect(calls(`POST ${API}/${ID}/test`)).toHaveLength(1));
});

test('a panel in use cannot be removed, but another one can by its name', async () => {
  const show = (refused: boolean) =>
    showScreen(remove, {
      url: `/mc-admin/panels/${ID}/delete`,
      path: '/mc-admin/panels/:id/delete',
      answers: {
        [`GET ${API}/${ID}/dependants`]: { panel, refused },
        [`DELETE ${API}/${ID}`]: refuse('NAME_MISMATCH', { name: ['NAME_MISMATCH'] }),
      },
      session: { permissions: ALL },
    });
  show(true);
  expect(await screen.findByText(/can’t be removed/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Remove' })).toBeNull();
  cleanup();
  const { calls } = show(false);
  fireEvent.change(await screen.findByLabelText(/^Type/), { target: { value: 'Mian' } });
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(calls(`DELETE ${API}/${ID}`).map(({ body }) => body)).toEqual([{ name: 'Mian' }]));
});

const showSync = (data: object = catalogue(), answers: object = {}, search = '') =>
  showScreen(sync, {
    url: `/mc-admin/panels/${ID}/sync${search}`,
    path: '/mc-admin/panels/:id/sync',
    answers: {
      [`GET ${API}/${ID}/catalogue`]: data,
      [`POST ${API}/${ID}/take`]: { created: 2, updated: 0, skipped: 1 },
      [`POST ${API}/${ID}/turn-off`]: { done: 1 },
      ...answers,
    },
    session: { permissions: ALL },
  });

test('the catalogue shows what is new, changed and vanished, and what a change would overwrite', async () => {
  showSync();
  const table = within(await screen.findByRole('table', { name: 'Catalogue entries' }));
  expect(table.getAllByRole('rowheader').map((cell) => cell.getAttribute('aria-label'))).toEqual([
    'Sponge',
    'Forge',
    'Paper',
  ]);
  const forge = within(table.getByRole('rowheader', { name: 'Forge' }));
  expect(forge.getByText('java -jar b.jar')).toBeTruthy();
  expect(forge.getByText('VERSION')).toBeTruthy();
  expect(forge.getByText(/You changed this here/)).toBeTruthy();
  const nodes = within(screen.getByRole('table', { name: 'Nodes' }));
  expect(nodes.getByText('38 of 50')).toBeTruthy();
  expect(nodes.getByText(/no limit/)).toBeTruthy();
});

test('bulk import asks first, warns before it overwrites changes by staff, and turns off vanished offers', async () => {
  const { calls } = showSync();
  fireEvent.click(await screen.findByRole('checkbox', { name: /all/i }));
  const bar = within(screen.getByRole('region', { name: '3 selected' }));
  fireEvent.click(bar.getByRole('button', { name: 'Import 2' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('its version replaces yours');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Import' }));
  expect(await screen.findByText('2 entries added. Nothing changed. 1 was up to date.')).toBeTruthy();
  expect(calls(`POST ${API}/${ID}/take`).map(({ body }) => body)).toEqual([
    {
      offers: [
        { kind: 'egg', ref: '1' },
        { kind: 'egg', ref: '2' },
      ],
      nests: [],
    },
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Turn off: Sponge', hidden: true }));
  await waitFor(() =>
    expect(calls(`POST ${API}/${ID}/turn-off`).map(({ body }) => body)).toEqual([
      { offers: [{ kind: 'egg', ref: '3' }] },
    ]),
  );
  expect(await screen.findByText('1 entry turned off.')).toBeTruthy();
});

test('a nest is imported as a whole; reading is asked for by its own button', async () => {
  const { calls } = showSync(catalogue(), { [`POST ${API}/${ID}/sync`]: {} });
  fireEvent.click(await screen.findByRole('button', { name: 'Import 2 eggs: Minecraft' }));
  await waitFor(() =>
    expect(calls(`POST ${API}/${ID}/take`).map(({ body }) => body)).toEqual([{ offers: [], nests: ['1'] }]),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Sync now' }));
  await waitFor(() => expect(calls(`POST ${API}/${ID}/sync`)).toHaveLength(1));
});

test('asking for a reading leaves what is ticked as it is, and a command is done with it', async () => {
  const { calls } = showSync(catalogue(), { [`POST ${API}/${ID}/sync`]: {} });
  const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Paper' });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Paper' }));
  const before = calls(`GET ${API}/${ID}/catalogue`).length;
  fireEvent.click(screen.getByRole('button', { name: 'Sync now' }));
  await waitFor(() => expect(calls(`GET ${API}/${ID}/catalogue`).length).toBeGreaterThan(before));
  await act(async () => undefined);
  expect(box().checked).toBe(true);
  fireEvent.click(within(screen.getByRole('region', { name: '1 selected' })).getByRole('button', { name: 'Import 1' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Import' }));
  await waitFor(() => expect(box().checked).toBe(false));
});

test('a failed reading says what failed and that nothing was changed; a running one is followed', async () => {
  const synced = {
    at: AT,
    state: 'failed',
    part: 'eggs',
    fault: { fault: 'unknown', cause: 'timeout' },
    nodes_failed: [],
  };
  showSync(catalogue({ panel: { ...panel, synced } }));
  expect(
    await screen.findByText(/last sync failed \(eggs; .*\): The panel didn’t respond in time\. No changes were made\./),
  ).toBeTruthy();
  cleanup();
  let reading = true;
  const timers = spyOn(globalThis, 'setInterval');
  showSync(catalogue(), { [`GET ${API}/${ID}/catalogue`]: () => catalogue({ panel: { ...panel, syncing: reading } }) });
  expect(await screen.findByText(/Syncing the catalogue/)).toBeTruthy();
  // The page is painted before its effects run.
  const poll = await waitFor(() => {
    const [found] = timers.mock.calls.find(([, ms]) => ms === 1500) ?? [];
    expect(found).toBeDefined();
    return found;
  });
  timers.mockRestore();
  reading = false;
  await act(async () => void (poll as () => void)());
  expect(await screen.findByText(/^Last sync/, { selector: 'p' })).toBeTruthy();
  expect(screen.queryByText(/Syncing the catalogue/)).toBeNull();
});

test('without scripts everything is there: a form for each offer, each nest and the reading', () => {
  const html = serverHtml(
    sync,
    { url: `/mc-admin/panels/${ID}/sync`, path: '/mc-admin/panels/:id/sync', session: { permissions: ALL } },
    catalogue(),
  );
  for (const value of ['egg:1', 'egg:2', 'egg:3']) expect(html).toContain(`value="${value}"`);
  for (const intent of ['sync', 'take', 'turnOff'])
    expect(html).toMatch(new RegExp(`name="_intent"[^>]*value="${intent}"|value="${intent}"[^>]*name="_intent"`));
  expect(html).toMatch(/name="nest"[^>]*value="1"|value="1"[^>]*name="nest"/);
});

test('the address says what is asked for; without a state it is the news', () => {
  const ask = (search: string) =>
    filterOffers(OFFERS as never, readList(search, CATALOGUE_LIST)).map(({ name }) => name);
  expect(ask('')).toEqual(['Sponge', 'Forge', 'Paper']);
  expect(ask('?state=all')).toEqual(['de-fra', 'Forge', 'Paper', 'Sponge']);
  expect(ask('?state=all&sort=-name')).toEqual(['Sponge', 'Paper', 'Forge', 'de-fra']);
  expect(ask('?state=current')).toEqual(['de-fra']);
  expect(ask('?state=all&kind=location')).toEqual(['de-fra']);
  expect(ask('?nest=1&q=fo')).toEqual(['Forge']);
  expect(ask('?nest=9')).toEqual([]);
  expect(countStates(OFFERS as never)).toEqual({ fresh: 1, changed: 1, current: 1, vanished: 1 });
});

test('S1 a new address without the keys says at both fields that they are needed again', async () => {
  showEdit(
    {},
    { [`PATCH ${API}/${ID}`]: refuse('VALIDATION_FAILED', { key: ['REQUIRED'], client_key: ['REQUIRED'] }) },
  );
  fireEvent.change(await screen.findByLabelText(/^Panel address/), {
    target: { value: 'https://other.example.com' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(
    (await screen.findAllByText(/Enter the key again for a new address: the stored one isn’t sent to another address/))
      .length,
  ).toBeGreaterThan(1);
});

test('P7 the connect screen lists the rights the key needs, and refuses a client key in the wrong field', async () => {
  const { calls } = showScreen(create, { url: '/mc-admin/panels/create', answers: {}, session: { permissions: ALL } });
  const needed = within(await screen.findByRole('list', { name: 'Permissions the key needs' }));
  expect(needed.getAllByRole('listitem').map((row) => row.textContent)).toEqual([
    'ServersRead and write',
    'UsersRead and write',
    'NodesRead',
    'AllocationsRead',
    'LocationsRead',
    'NestsRead',
    'EggsRead',
  ]);
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: 'Main' } });
  fireEvent.change(screen.getByLabelText(/^Panel address/), { target: { value: 'https://panel.example.com' } });
  fireEvent.change(screen.getByLabelText(/^Application key/), { target: { value: 'ptlc_secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  expect((await screen.findAllByText(/This is a client key/)).length).toBeGreaterThan(0);
  expect(calls(`POST ${API}`)).toEqual([]);
});

test('P8 the public address is shown, changed and taken away', async () => {
  const { calls } = showEdit({ public_url: 'https://play.example.com' }, { [`PATCH ${API}/${ID}`]: { id: ID } });
  const field = await screen.findByLabelText<HTMLInputElement>(/^Public address/);
  expect(field.value).toBe('https://play.example.com');
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(calls(`PATCH ${API}/${ID}`).map(({ body }) => (body as { public_url?: string }).public_url)).toEqual(['']),
  );
});

test('P3 staff search for accounts, see why some cannot be linked, and link the ticked ones', async () => {
  const row = (at: number, verdict: string) => ({
    user_id: `01890000-0000-7000-8000-00000000010${at}`,
    username: `player${at}`,
    email: `p${at}@example.com`,
    account: `old${at}`,
    verdict,
  });
  const rows = [row(1, 'match'), row(2, 'unconfirmed'), row(3, 'admin'), row(4, 'taken')];
  const { calls } = showEdit(
    {},
    {
      [`POST ${API}/${ID}/accounts`]: { accounts: 9, bound: 2, rows },
      [`POST ${API}/${ID}/accounts/bind`]: {
        bound: 1,
        refused: [{ user_id: rows[1]?.user_id, username: 'player2', why: 'unconfirmed' }],
      },
    },
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Find accounts' }));
  const first = await screen.findByRole<HTMLInputElement>('checkbox', { name: /player1/ });
  const second = screen.getByRole<HTMLInputElement>('checkbox', { name: /player2/ });
  expect([first.checked, second.checked]).toEqual([true, false]);
  expect(screen.queryByRole('checkbox', { name: /player3|player4/ })).toBeNull();
  expect(screen.getByText(/Panel administrator/)).toBeTruthy();
  fireEvent.click(second);
  fireEvent.click(screen.getByRole('button', { name: 'Link these accounts' }));
  expect(await screen.findByText('1 account linked.')).toBeTruthy();
  expect(screen.getByText('The e-mail isn’t confirmed.')).toBeTruthy();
  expect(calls(`POST ${API}/${ID}/accounts/bind`).map(({ body }) => body)).toEqual([
    { users: [rows[0]?.user_id, rows[1]?.user_id], unconfirmed: false },
  ]);
});
