import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/users');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const edit = await import('./edit.tsx');
const deletion = await import('./delete.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const meters = Object.fromEntries(
  ['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'].map((kind) => [kind, { used: 1, limit: 4 }]),
);
const USER = {
  id: ID(1),
  username: 'tobi_k',
  email: 'tobi@example.org',
  first_name: 'Tobias',
  last_name: 'Kern',
  locale: 'de',
  time_zone: null,
  confirmation: 'confirmed',
  status: 'active',
  ban_reason: null,
  banned_until: null,
  banned_at: null,
  banned_by: null,
  manageable: true,
  role_id: ID(9),
  roles: [{ id: ID(9), name: 'VIP' }],
  role: { name: 'VIP', color: '#888888' },
  created_at: NOW,
  seen_at: NOW,
  limits: meters,
  balance: 0,
  held: 85,
  debt: 0,
  purchases: [],
  badge: null,
  support_pin: { pin: '123456', expires_at: NOW },
  referrer: { id: ID(2), username: 'oana' },
  earned: { credits: 40, most: { name: 'reward.afk', credits: 30 } },
  spent: { credits: 0, most: null },
  paid: null,
};
const api = `/api/admin/users/${ID(1)}`;
const SIGNALS = {
  score: 70,
  threshold: 60,
  reasons: [
    { code: 'deviceShared', weight: 70, count: 3 },
    { code: 'vpnUnknown', weight: 0, count: null },
  ],
  held: { count: 2, credits: 85 },
  others: [{ id: ID(3), username: 'ana.ro', kinds: ['device', 'address'], since: NOW }],
};
const TOKEN = {
  id: ID(7),
  name: 'script',
  tail: 'ab12',
  scopes: ['account:read'],
  created_at: NOW,
  expires_at: null,
  used_at: null,
  used_address: null,
};
const WAYS = {
  password: false,
  factor_at: NOW,
  recovery_codes: 3,
  linked: [{ id: ID(5), provider: 'Discord', name: 'tobi#1', linked_at: NOW, last: false }],
  passkeys: [{ id: ID(6), name: 'Phone', created_at: NOW, used_at: NOW, synced: true, copied: true, last: true }],
  tokens: [TOKEN],
};
/** Shows a tab of the user. In: its name, and what the API answers beside the user. */
const show = (tab: string, answers: Record<string, object>, permissions: readonly string[] = ['admin.root']) =>
  showScreen(edit, {
    url: `/mc-admin/users/${ID(1)}/edit?tab=${tab}`,
    path: '/mc-admin/users/:id/edit',
    answers: { [`GET ${api}`]: USER, ...answers },
    session: { permissions: [...permissions] },
  });

test('the ways into an account are shown, and a token is revoked after a question', async () => {
  const { calls } = show('ways', { [`GET ${api}/ways-in`]: WAYS, [`DELETE ${api}/tokens/${ID(7)}`]: {} });
  expect(await screen.findByText('Discord')).toBeTruthy();
  expect(screen.getByText('Possibly copied')).toBeTruthy();
  expect(screen.getByText('none')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Revoke the token script' }));
  const dialog = await screen.findByRole('alertdialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Revoke' }));
  expect(await screen.findByText('The token is revoked.')).toBeTruthy();
  expect(calls(`DELETE ${api}/tokens/${ID(7)}`)).toHaveLength(1);
});

test('the last way in is taken only after a question that says so, others without, and a refusal is said in words', async () => {
  const { calls } = show('ways', {
    [`GET ${api}/ways-in`]: WAYS,
    [`DELETE ${api}/passkeys/${ID(6)}`]: {},
    [`DELETE ${api}/linked/${ID(5)}`]: refuse('LAST_WAY_IN'),
    [`DELETE ${api}/two-factor`]: {},
  });
  const press = async (name: string, ok: string): Promise<string> => {
    fireEvent.click(await screen.findByRole('button', { name }));
    const dialog = await screen.findByRole('alertdialog');
    const text = dialog.textContent;
    fireEvent.click(within(dialog).getByRole('button', { name: ok }));
    return text;
  };
  expect(await press('Unlink Discord', 'Unlink')).not.toContain('only way to log in');
  expect(await screen.findByText(/^It’s the user’s only way to log in/)).toBeTruthy();
  expect(await press('Remove the passkey Phone', 'Remove')).toContain('only way to log in');
  expect(await screen.findByText('The passkey is removed.')).toBeTruthy();
  expect(calls(`DELETE ${api}/passkeys/${ID(6)}`)[0]?.path).toEndWith('?last=true');
  await press('Turn off second factor', 'Turn off second factor');
  expect(await screen.findByText('The second factor is off.')).toBeTruthy();
  expect(calls(`DELETE ${api}/two-factor`)).toHaveLength(1);
});

test('a score is explained, and tabs without the right for them are not offered', async () => {
  show('signals', { [`GET ${api}/signals`]: SIGNALS }, ['admin.users.edit']);
  expect(await screen.findByText('Same device as 3 other accounts')).toBeTruthy();
  expect(screen.getByText('+70 points')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Review' })).toBeNull();
  const tabs = within(screen.getByRole('navigation', { name: 'Parts of this user' }));
  const names = tabs.getAllByRole('link').map((link) => link.textContent);
  expect(names).toEqual(['Overview', 'Profile', 'Access', 'Ways in', 'Signals', 'Activity', 'Notes']);
});

test('the tickets of a user are listed, and lead to their conversation where one may read it', async () => {
  const ticket = {
    id: ID(8),
    number: 41,
    subject: 'Cannot join',
    priority: 'normal',
    status: 'open',
    department: 'Technical',
    server: null,
    created_at: NOW,
    updated_at: NOW,
    closed_at: null,
  };
  const answers = { 'GET /api/admin/tickets': { rows: [ticket], more: '5.x' } };
  const { calls } = show('tickets', answers, ['admin.users.edit', 'admin.tickets.list']);
  expect(await screen.findByText('Cannot join')).toBeTruthy();
  expect(calls('GET /api/admin/tickets')[0]?.path).toEndWith(`?user=${ID(1)}&view=all`);
  expect(screen.queryByRole('link', { name: 'Cannot join' })).toBeNull();
  expect(screen.getByRole('link', { name: 'All tickets' }).getAttribute('href')).toEndWith('?view=all&q=tobi_k');
  cleanup();
  show('tickets', answers);
  expect((await screen.findByRole('link', { name: 'Cannot join' })).getAttribute('href')).toContain(ID(8));
});

test('another account with something in common is compared side by side', async () => {
  const account = {
    email: 'a@example.com',
    status: 'active',
    role: 'VIP',
    created_at: NOW,
    seen_at: null,
    reasons: [],
  };
  show(`signals&with=${ID(3)}`, {
    [`GET ${api}/signals`]: SIGNALS,
    [`GET ${api}/signals/${ID(3)}`]: {
      accounts: [
        { ...account, id: ID(1), username: 'tobi_k', score: 70, reasons: SIGNALS.reasons },
        { ...account, id: ID(3), username: 'ana.ro', score: 5 },
      ],
      shared: [{ kind: 'device', count: 2, since: NOW, last: NOW }],
    },
  });
  const card = within(await screen.findByRole('table').then((table) => table.closest('section') ?? table));
  expect(card.getByText('tobi_k and ana.ro side by side')).toBeTruthy();
  expect(card.getByText('2 in common')).toBeTruthy();
  const rows = card.getAllByRole('row').map((row) => row.textContent);
  expect(rows).toContain('Score705');
  const link = screen.getByRole('link', { name: 'Compare with ana.ro' });
  expect(link.getAttribute('href')).toEndWith(`?tab=signals&with=${ID(3)}`);
});

test('the figures above the tabs say what most was from, and money only where it may be seen', async () => {
  const user = {
    ...USER,
    spent: { credits: 60, most: { name: 'renewal', credits: 30 } },
    paid: [
      { currency: 'EUR', minor: 1497, orders: 2 },
      { currency: 'USD', minor: 300, orders: 1 },
    ],
  };
  show('notes', { [`GET ${api}`]: user, [`GET ${api}/notes`]: { notes: [] } });
  const figures = await screen.findByRole('region', { name: 'Key figures' });
  const text = figures.textContent.replaceAll(/\s/g, ' ');
  for (const part of ['85 credits reserved', 'AFK reward 75 %', 'Servers 50 %', '€14.97', '$3.00 · 3 orders'])
    expect(text).toContain(part);
  cleanup();
  show('notes', { [`GET ${api}/notes`]: { notes: [] } });
  expect((await screen.findByRole('region', { name: 'Key figures' })).textContent).not.toContain('Paid in');
});

test('name, address and limits are saved by a form each, with the limits that were seen', async () => {
  const { calls } = show('profile', {
    [`PATCH ${api}/profile`]: {},
    [`POST ${api}/email`]: refuse('VALIDATION_FAILED', { email: ['EMAIL_TAKEN'] }),
    [`POST ${api}/limits`]: {},
  });
  const cardOf = (name: string) => {
    const card = screen.getByRole('heading', { name }).closest('section');
    if (!card) throw new Error(`no card ${name}`);
    return within(card);
  };
  await screen.findByRole('heading', { name: 'Limits' });
  type(cardOf('Limits').getByLabelText('Memory'), '4096');
  fireEvent.click(cardOf('Limits').getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The limits are saved.')).toBeTruthy();
  expect(calls(`POST ${api}/limits`)[0]?.body).toMatchObject({ memory: 4096, seen_memory: 4, backups: 4 });
  type(cardOf('Name and language').getByLabelText('First name'), 'Toby');
  fireEvent.click(cardOf('Name and language').getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Name and language are saved.')).toBeTruthy();
  expect(calls(`PATCH ${api}/profile`)[0]?.body).toMatchObject({ first_name: 'Toby', last_name: 'Kern', locale: 'de' });
  type(cardOf('E-mail address').getByLabelText('E-mail address'), 'new@example.org');
  fireEvent.click(cardOf('E-mail address').getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(calls(`POST ${api}/email`)[0]?.body).toEqual({ email: 'new@example.org', confirmed: false }),
  );
  const field = () => cardOf('E-mail address').getByLabelText('E-mail address');
  await waitFor(() => expect(field().getAttribute('aria-invalid')).toBe('true'));
});

test('a ban offers to reject what waits, only to whoever may decide on it', async () => {
  const answers = { [`GET ${api}/signals`]: SIGNALS, [`GET ${api}/sessions`]: { sessions: [] } };
  const { calls } = show('access', { ...answers, [`POST ${api}/ban`]: {} });
  fireEvent.click(await screen.findByLabelText(/^Reject 85 credits on hold/));
  type(screen.getByLabelText('Reason'), 'farming');
  fireEvent.click(screen.getByRole('button', { name: 'Ban' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Ban' }));
  await waitFor(() => expect(calls(`POST ${api}/ban`)[0]?.body).toMatchObject({ reject_held: true }));
  cleanup();
  show('access', answers, ['admin.users.edit']);
  expect(await screen.findByLabelText('Reason')).toBeTruthy();
  expect(screen.queryByLabelText(/^Reject/)).toBeNull();
});

test('the activity names what happened in words, and what was done as staff as the audit log does', async () => {
  const row = {
    id: 'a',
    at: NOW,
    by: 'tobi_k',
    own: true,
    target: null,
    address: '192.0.2.1',
    device: 'Firefox · Windows',
  };
  const rows = [
    { ...row, action: 'account.login' },
    { ...row, id: 'b', action: 'users.create', target: 'dragomir' },
    { ...row, id: 'd', action: 'a_plugin_gone.create', target: 'Skyhold' },
    { ...row, id: 'c', action: 'user_notes.create', own: false, by: 'oana', address: null, device: null },
  ];
  show('activity', { [`GET ${api}/activity`]: { rows, older: '1.a' } });
  expect(await screen.findByText('Logged in')).toBeTruthy();
  expect(screen.getByText('tobi_k created the account dragomir')).toBeTruthy();
  expect(screen.getByText('tobi_k: a_plugin_gone.create')).toBeTruthy();
  expect(screen.getByText('oana noted something on tobi_k')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toContain('before=1.a');
});

test('the delete page offers what is possible, and shows why not where it is not', async () => {
  const dependants = {
    id: ID(1),
    username: 'tobi_k',
    email: 'tobi@example.org',
    status: 'active',
    created_at: NOW,
    servers: [{ id: ID(2), name: 'Skyhold' }],
    credits: 12,
    reserved: 0,
    debt: 5,
    counts: { payments: 1, purchases: 0, identities: 0, passkeys: 0, tokens: 0, sessions: 2 },
    has_records: true,
    due_at: null,
    refusal: null,
  };
  const page = (data: object) =>
    showScreen(deletion, {
      url: `/mc-admin/users/${ID(1)}/delete`,
      path: '/mc-admin/users/:id/delete',
      answers: {
        [`GET ${api}/dependants`]: { ...dependants, ...data },
        [`DELETE ${api}`]: refuse('NAME_MISMATCH', { name: ['NAME_MISMATCH'] }),
      },
      session: { permissions: ['admin.users.delete'] },
    });
  const { calls } = page({});
  expect(await screen.findByText('Skyhold')).toBeTruthy();
  expect(screen.getByText(/^Transactions, payments/)).toBeTruthy();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.queryByRole('link', { name: 'Go to the ban' })).toBeNull();
  type(screen.getByLabelText('Type “tobi_k” to confirm'), 'tobi');
  fireEvent.click(screen.getByRole('button', { name: 'Close account' }));
  expect(await screen.findByText('That isn’t the name.')).toBeTruthy();
  expect(calls(`DELETE ${api}`)[0]?.body).toEqual({ name: 'tobi', way: 'anonymise' });
  cleanup();
  page({ refusal: 'lastOwner' });
  expect(await screen.findByText(/^This is the only owner/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Close account' })).toBeNull();
});
