import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';
import { KEEPER_RIGHTS, PANELS_API, LAST_DONE, PANEL_ID, panel, rights } from '#tests/support/panel-rows.ts';

await installDom('https://panel.example/mc-admin/panels');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');
const create = await import('./create.tsx');
const edit = await import('./edit.tsx');
const remove = await import('./delete.tsx');

afterEach(cleanup);

const showList = (panels: object[], permissions = KEEPER_RIGHTS, driver = 'pterodactyl') =>
  showScreen(list, {
    url: '/mc-admin/panels',
    answers: { [`GET ${PANELS_API}`]: { panels, driver } },
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
  showList([], KEEPER_RIGHTS, 'embedded');
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
  const answers = {
    [`POST ${PANELS_API}`]: refuse('VALIDATION_FAILED', { key: ['NOT_ALLOWED'], url: ['ADDRESS_TAKEN'] }),
  };
  const { calls } = showScreen(create, {
    url: '/mc-admin/panels/create',
    answers,
    session: { permissions: KEEPER_RIGHTS },
  });
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: 'Main' } });
  fireEvent.change(screen.getByLabelText(/^Panel address/), { target: { value: 'https://Panel.example.com/' } });
  fireEvent.change(screen.getByLabelText(/^Application key/), { target: { value: 'ptla_secret' } });
  fireEvent.change(screen.getByLabelText(/^Client key/), { target: { value: 'ptlc_secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  await waitFor(() =>
    expect(calls(`POST ${PANELS_API}`).map(({ body }) => body)).toEqual([
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
  const html = serverHtml(
    create,
    { url: '/mc-admin/panels/create', session: { permissions: KEEPER_RIGHTS } },
    undefined,
  );
  expect(html).toContain('method="post"');
  expect(html).toMatch(/type="password"[^>]*name="key"|name="key"[^>]*type="password"/);
});

test('what cannot be an address or a client key is refused beside its field, before anything is sent', async () => {
  const { calls } = showScreen(create, {
    url: '/mc-admin/panels/create',
    answers: {},
    session: { permissions: KEEPER_RIGHTS },
  });
  fireEvent.change(await screen.findByLabelText(/^Panel address/), {
    target: { value: 'https://panel.example.com/api' },
  });
  fireEvent.change(screen.getByLabelText(/^Client key/), { target: { value: 'ptla_wrong' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  expect((await screen.findAllByText(/Only scheme, host and port/)).length).toBeGreaterThan(0);
  expect(screen.getAllByText(/This isn’t a client key/).length).toBeGreaterThan(0);
  expect(calls(`POST ${PANELS_API}`)).toEqual([]);
});

const showEdit = (more: object = {}, answers: object = {}) =>
  showScreen(edit, {
    url: `/mc-admin/panels/${PANEL_ID}/edit`,
    path: '/mc-admin/panels/:id/edit',
    answers: { [`GET ${PANELS_API}/${PANEL_ID}`]: { panel: { ...panel, ...more } }, ...answers },
    session: { permissions: KEEPER_RIGHTS },
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
    {
      [`PATCH ${PANELS_API}/${PANEL_ID}`]: refuse('CONFLICT'),
      [`POST ${PANELS_API}/${PANEL_ID}/test`]: { checked: panel.checked },
    },
  );
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: 'Other' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Someone else changed this panel in the meantime/)).toBeTruthy();
  expect(calls(`PATCH ${PANELS_API}/${PANEL_ID}`)[0]?.body).toEqual({
    name: 'Other',
    url: panel.url,
    public_url: '',
    dialect: 'pterodactyl',
    enabled: true,
    key: '',
    client_key: '',
    drop_client_key: false,
    updated_at: LAST_DONE,
  });
  fireEvent.click(screen.getByRole('button', { name: 'Test now' }));
  await waitFor(() => expect(calls(`POST ${PANELS_API}/${PANEL_ID}/test`)).toHaveLength(1));
});

test('a panel in use cannot be removed, but another one can by its name', async () => {
  const show = (refused: boolean) =>
    showScreen(remove, {
      url: `/mc-admin/panels/${PANEL_ID}/delete`,
      path: '/mc-admin/panels/:id/delete',
      answers: {
        [`GET ${PANELS_API}/${PANEL_ID}/dependants`]: { panel, refused },
        [`DELETE ${PANELS_API}/${PANEL_ID}`]: refuse('NAME_MISMATCH', { name: ['NAME_MISMATCH'] }),
      },
      session: { permissions: KEEPER_RIGHTS },
    });
  show(true);
  expect(await screen.findByText(/can’t be removed/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Remove' })).toBeNull();
  cleanup();
  const { calls } = show(false);
  fireEvent.change(await screen.findByLabelText(/^Type/), { target: { value: 'Mian' } });
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() =>
    expect(calls(`DELETE ${PANELS_API}/${PANEL_ID}`).map(({ body }) => body)).toEqual([{ name: 'Mian' }]),
  );
});

test('S1 a new address without the keys says at both fields that they are needed again', async () => {
  showEdit(
    {},
    {
      [`PATCH ${PANELS_API}/${PANEL_ID}`]: refuse('VALIDATION_FAILED', { key: ['REQUIRED'], client_key: ['REQUIRED'] }),
    },
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
  const { calls } = showScreen(create, {
    url: '/mc-admin/panels/create',
    answers: {},
    session: { permissions: KEEPER_RIGHTS },
  });
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
  expect(calls(`POST ${PANELS_API}`)).toEqual([]);
});

test('P8 the public address is shown, changed and taken away', async () => {
  const { calls } = showEdit(
    { public_url: 'https://play.example.com' },
    { [`PATCH ${PANELS_API}/${PANEL_ID}`]: { id: PANEL_ID } },
  );
  const field = await screen.findByLabelText<HTMLInputElement>(/^Public address/);
  expect(field.value).toBe('https://play.example.com');
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(
      calls(`PATCH ${PANELS_API}/${PANEL_ID}`).map(({ body }) => (body as { public_url?: string }).public_url),
    ).toEqual(['']),
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
      [`POST ${PANELS_API}/${PANEL_ID}/accounts`]: { accounts: 9, bound: 2, rows },
      [`POST ${PANELS_API}/${PANEL_ID}/accounts/bind`]: {
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
  expect(calls(`POST ${PANELS_API}/${PANEL_ID}/accounts/bind`).map(({ body }) => body)).toEqual([
    { users: [rows[0]?.user_id, rows[1]?.user_id], unconfirmed: false },
  ]);
});
