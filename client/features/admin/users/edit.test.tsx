import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import texts from '#locales/en/staffUsers.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/users');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const edit = await import('./edit.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const staff = { session: { permissions: ['admin.root'] } };
const meters = Object.fromEntries(
  ['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'].map((kind) => [kind, { used: 1, limit: 4 }]),
);
const PURCHASE = { id: ID(5), kind: 'memory', units: 1, quantity: 1024, total: 150, at: NOW, refunded_at: null };
const USER = {
  id: ID(1),
  username: 'tobi_k',
  email: 'tobi@example.org',
  first_name: 'Tobias',
  last_name: 'Kern',
  locale: 'de',
  confirmation: 'confirmed',
  status: 'active',
  ban_reason: null,
  banned_until: null,
  banned_at: null,
  banned_by: null,
  manageable: true,
  viewable: false,
  role_id: ID(9),
  roles: [
    { id: ID(9), name: 'VIP' },
    { id: ID(4), name: 'Member' },
  ],
  role: { name: 'VIP', color: '#888888' },
  created_at: NOW,
  seen_at: NOW,
  limits: meters,
  balance: 3180,
  held: 85,
  debt: 0,
  badge: null,
  support_pin: null,
  referrer: null,
  earned: { credits: 0, most: null },
  spent: { credits: 0, most: null },
  paid: null,
  purchases: [PURCHASE, { ...PURCHASE, id: ID(6), refunded_at: NOW }],
};
const STATEMENT = {
  rows: [],
  paging: { per_page: 25, newer: null, older: null },
  balance: 3180,
  accrued: 0,
  held: 85,
  debt: 0,
};
const path = '/mc-admin/users/:id/edit';
const url = `/mc-admin/users/${ID(1)}/edit`;
const SIGNALS = { score: 70, threshold: 60, reasons: [], held: { count: 0, credits: 0 }, others: [] };
const answers = {
  [`GET /api/admin/users/${ID(1)}`]: USER,
  [`GET /api/admin/users/${ID(1)}/statement`]: STATEMENT,
  [`GET /api/admin/users/${ID(1)}/signals`]: SIGNALS,
};

test('an adjustment says what it comes to, and is sent only after a yes, with a key', async () => {
  const { calls } = showScreen(edit, {
    url,
    path,
    answers: { ...answers, [`POST /api/admin/users/${ID(1)}/adjust`]: { balance: 3330 } },
    ...staff,
  });
  fireEvent.change(await screen.findByLabelText('Add or remove'), { target: { value: 'in' } });
  type(screen.getByLabelText('Amount'), '150');
  type(screen.getByLabelText('Reason'), 'Backup was lost');
  fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('Add 150 credits to tobi_k’s balance?');
  expect(dialog.textContent).toContain('3,330');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(calls(`POST /api/admin/users/${ID(1)}/adjust`)).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Adjust' }));
  expect(await screen.findByText('Done. The balance is now 3,330 credits.')).toBeTruthy();
  const [call] = calls(`POST /api/admin/users/${ID(1)}/adjust`);
  expect(call?.body).toEqual({ direction: 'in', amount: 150, reason: 'Backup was lost' });
  expect(call?.key).toBeTruthy();
});

test('an amount of the address is offered once, asked about like every other, and one that is none is not', async () => {
  const adjust = `POST /api/admin/users/${ID(1)}/adjust`;
  const { calls } = showScreen(edit, {
    url: `${url}?amount=500`,
    path,
    answers: { ...answers, [adjust]: { balance: 3680 } },
    ...staff,
  });
  const amount = async () => (await screen.findByLabelText<HTMLInputElement>('Amount')).value;
  expect(await amount()).toBe('500');
  type(screen.getByLabelText('Reason'), 'Backup was lost');
  fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('Add 500 credits to tobi_k’s balance?');
  expect(calls(adjust)).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Adjust' }));
  await screen.findByText('Done. The balance is now 3,680 credits.');
  expect(await amount()).toBe('');
  cleanup();
  showScreen(edit, { url: `${url}?amount=-5`, path, answers, ...staff });
  expect(await amount()).toBe('');
});

test('credits that go to a user with a debt are shown to pay that first', async () => {
  showScreen(edit, {
    url,
    path,
    answers: { ...answers, [`GET /api/admin/users/${ID(1)}`]: { ...USER, balance: 0, debt: 70 } },
    ...staff,
  });
  type(await screen.findByLabelText('Amount'), '100');
  type(screen.getByLabelText('Reason'), 'Paid at the desk');
  fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toMatch(/Owed−70\D+70 creditsBalance after30/);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
});

test('T13 a second adjustment has another key than the first', async () => {
  const { calls } = showScreen(edit, {
    url,
    path,
    answers: { ...answers, [`POST /api/admin/users/${ID(1)}/adjust`]: { balance: 1 } },
    ...staff,
  });
  for (const amount of ['1', '2']) {
    type(await screen.findByLabelText('Amount'), amount);
    type(screen.getByLabelText('Reason'), 'a good reason');
    fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Adjust' }));
    await waitFor(() => expect(calls(`POST /api/admin/users/${ID(1)}/adjust`)).toHaveLength(Number(amount)));
    await waitFor(() => expect((screen.getByLabelText('Amount') as HTMLInputElement).value).toBe(''));
  }
  const keys = calls(`POST /api/admin/users/${ID(1)}/adjust`).map(({ key }) => key);
  expect(new Set(keys).size).toBe(2);
});

test('an empty field is named, and a refusal is shown in words', async () => {
  const { calls } = showScreen(edit, {
    url,
    path,
    answers: { ...answers, [`POST /api/admin/users/${ID(1)}/adjust`]: () => refuse('INSUFFICIENT_CREDITS') },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Adjust' }));
  await screen.findByText('Please fix 2 fields');
  expect(screen.getByLabelText('Amount').getAttribute('aria-invalid')).toBe('true');
  expect(calls(`POST /api/admin/users/${ID(1)}/adjust`)).toEqual([]);
  fireEvent.change(screen.getByLabelText('Add or remove'), { target: { value: 'out' } });
  type(screen.getByLabelText('Amount'), '9000');
  type(screen.getByLabelText('Reason'), 'a good reason');
  fireEvent.click(screen.getByRole('button', { name: 'Adjust' }));
  expect((await screen.findByRole('alertdialog')).textContent).toContain('Remove 9,000 credits from tobi_k’s balance?');
  fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Adjust' }));
  expect(await screen.findByText(errors.INSUFFICIENT_CREDITS)).toBeTruthy();
});

test('a purchase is refunded after a question, and one that is refunded already says so', async () => {
  const { calls } = showScreen(edit, {
    url,
    path,
    answers: {
      ...answers,
      [`POST /api/admin/users/${ID(1)}/purchases/${ID(5)}/refund`]: () => refuse('PURCHASE_IN_USE'),
    },
    ...staff,
  });
  const buttons = await screen.findAllByRole('button', { name: 'Refund: Memory +1 GB' });
  expect(buttons).toHaveLength(1);
  expect(screen.getByText(/^Refunded 21 Nov 2026/)).toBeTruthy();
  fireEvent.click(buttons[0] as HTMLElement);
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('tobi_k gets 150 credits back');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Refund' }));
  expect(await screen.findByText(errors.PURCHASE_IN_USE)).toBeTruthy();
  expect(calls(`POST /api/admin/users/${ID(1)}/purchases/${ID(5)}/refund`)).toHaveLength(1);
});

test('without scripts all forms are plain, each with its intent and key; a deleted user has no adjustment', () => {
  const html = serverHtml(
    edit,
    { url, path, ...staff },
    { tab: 'overview', user: USER, statement: STATEMENT, sessions: null, notes: null },
  );
  expect(html).toContain('name="_intent" value="adjust"');
  expect(html).toContain('name="_intent" value="refund"');
  expect(html).toContain(`name="purchase" value="${ID(5)}"`);
  expect(html).toContain(`/api/admin/users/${ID(1)}/statement.csv`);
  const gone = serverHtml(
    edit,
    { url, path, ...staff },
    { tab: 'overview', user: { ...USER, status: 'deleted' }, statement: STATEMENT, sessions: null, notes: null },
  );
  expect(gone).not.toContain('value="adjust"');
});

const SESSION = {
  id: ID(7),
  device: 'Firefox · Linux',
  address: '192.0.2.9',
  created_at: NOW,
  seen_at: NOW,
  factor_at: NOW,
};
const accessUrl = `${url}?tab=access`;
const SESSIONS = { [`GET /api/admin/users/${ID(1)}/sessions`]: { sessions: [SESSION] } };

test('T34 a ban is asked for with its reason and length, and is confirmed; the answer says so', async () => {
  const { calls } = showScreen(edit, {
    url: accessUrl,
    path,
    answers: { ...answers, ...SESSIONS, [`POST /api/admin/users/${ID(1)}/ban`]: {} },
    ...staff,
  });
  fireEvent.change(await screen.findByLabelText('For how long'), { target: { value: '30' } });
  type(screen.getByLabelText('Reason'), 'Two accounts');
  fireEvent.click(screen.getByRole('button', { name: 'Ban' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('Ban tobi_k?');
  expect(dialog.textContent).toContain('servers are suspended');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Ban' }));
  expect(await screen.findByText('tobi_k is banned.')).toBeTruthy();
  expect(calls(`POST /api/admin/users/${ID(1)}/ban`)[0]?.body).toEqual({
    reason: 'Two accounts',
    days: 30,
    reject_held: false,
  });
});

test('changing the reason of a ban keeps its end unless another is chosen', async () => {
  const banned_until = '2026-12-03T10:00:00.000Z';
  const banned = { ...USER, status: 'banned', ban_reason: 'spam', banned_at: NOW, banned_by: 'oana', banned_until };
  const { calls } = showScreen(edit, {
    url: accessUrl,
    path,
    answers: {
      ...answers,
      ...SESSIONS,
      [`GET /api/admin/users/${ID(1)}`]: banned,
      [`POST /api/admin/users/${ID(1)}/ban`]: {},
    },
    ...staff,
  });
  const length = (await screen.findByLabelText('For how long')) as HTMLSelectElement;
  expect(length.selectedOptions[0]?.textContent).toContain('Keep the end: ');
  type(screen.getByLabelText('Reason'), 'Spam in three channels');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls(`POST /api/admin/users/${ID(1)}/ban`)).toHaveLength(1));
  expect(calls(`POST /api/admin/users/${ID(1)}/ban`)[0]?.body).toEqual({
    reason: 'Spam in three channels',
    reject_held: false,
  });
});

test('a visitor who may do everything does not read that only some roles can be given', async () => {
  const show = (permissions: string[]) =>
    showScreen(edit, { url: accessUrl, path, answers: { ...answers, ...SESSIONS }, session: { permissions } });
  show(['admin.users.edit']);
  expect(await screen.findByText(texts.roleText)).toBeTruthy();
  cleanup();
  show(['admin.root']);
  expect(await screen.findByText(texts.roleTextOwner)).toBeTruthy();
});

test('a ban shows who made it and is lifted; a refusal stands in words', async () => {
  const banned = { ...USER, status: 'banned', ban_reason: 'spam', banned_at: NOW, banned_by: 'oana' };
  showScreen(edit, {
    url: accessUrl,
    path,
    answers: {
      ...answers,
      ...SESSIONS,
      [`GET /api/admin/users/${ID(1)}`]: banned,
      [`POST /api/admin/users/${ID(1)}/unban`]: () => refuse('FORBIDDEN'),
    },
    ...staff,
  });
  expect(await screen.findByText(/^Banned 21 Nov 2026.* by oana$/)).toBeTruthy();
  expect((screen.getByLabelText('Reason') as HTMLInputElement).value).toBe('spam');
  fireEvent.click(screen.getByRole('button', { name: 'Lift the ban' }));
  expect(await screen.findByText(errors.FORBIDDEN)).toBeTruthy();
});

test('sessions are ended one by one, and all of them after a question; whoever may not end them sees why, and no buttons', async () => {
  const { calls } = showScreen(edit, {
    url: accessUrl,
    path,
    answers: { ...answers, ...SESSIONS, [`POST /api/admin/users/${ID(1)}/sessions/end`]: { ended: 1 } },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('button', { name: /^End the session of Firefox/ }));
  expect(await screen.findByText('1 session ended.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'End all' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End all' }));
  await waitFor(() => expect(calls(`POST /api/admin/users/${ID(1)}/sessions/end`)).toHaveLength(2));
  expect(calls(`POST /api/admin/users/${ID(1)}/sessions/end`).map(({ body }) => body)).toEqual([
    { session: ID(7) },
    { session: null },
  ]);
  cleanup();
  const html = serverHtml(
    edit,
    { url: accessUrl, path, ...staff },
    { tab: 'access', user: { ...USER, manageable: false }, statement: null, sessions: [SESSION], notes: null },
  );
  expect(html).toContain('You can’t ban this user');
  expect(html).not.toContain('value="ban"');
  expect(html).not.toContain('value="endSessions"');
});

test('notes are listed with their author, added with a key and deleted after a question', async () => {
  const NOTE = { id: ID(8), author: 'oana', text: 'Warned twice', at: NOW, mine: true };
  const list = `/api/admin/users/${ID(1)}/notes`;
  const { calls } = showScreen(edit, {
    url: `${url}?tab=notes`,
    path,
    answers: {
      ...answers,
      [`GET ${list}`]: { notes: [NOTE, { ...NOTE, id: ID(9), author: null, mine: false }] },
      [`POST ${list}`]: { id: ID(3) },
      [`DELETE ${list}/${ID(8)}`]: {},
    },
    ...staff,
  });
  expect(await screen.findByText(/^oana, 21 Nov 2026/)).toBeTruthy();
  expect(screen.getByText(/^Deleted account, /)).toBeTruthy();
  type(screen.getByLabelText('New note'), 'Paid in cash');
  fireEvent.click(screen.getByRole('button', { name: 'Add note' }));
  expect(await screen.findByText('Note added.')).toBeTruthy();
  expect(calls(`POST ${list}`)[0]).toMatchObject({ body: { text: 'Paid in cash' }, key: expect.any(String) });
  fireEvent.click(screen.getByRole('button', { name: /^Delete the note of/ }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Note deleted.')).toBeTruthy();
});

test('T40 another role is chosen from those that there are, and a refusal stands in words', async () => {
  const { calls } = showScreen(edit, {
    url: accessUrl,
    path,
    answers: { ...answers, ...SESSIONS, [`POST /api/admin/users/${ID(1)}/role`]: () => refuse('ROLE_TOO_HIGH') },
    ...staff,
  });
  const choice = await screen.findByLabelText('This user’s role');
  expect((choice as HTMLSelectElement).value).toBe(ID(9));
  fireEvent.change(choice, { target: { value: ID(4) } });
  fireEvent.click(screen.getByRole('button', { name: 'Change role' }));
  expect(await screen.findByText(errors.ROLE_TOO_HIGH)).toBeTruthy();
  expect(calls(`POST /api/admin/users/${ID(1)}/role`)[0]?.body).toEqual({ role: ID(4) });
});

test('an address that is not confirmed is confirmed by staff', async () => {
  const { calls } = showScreen(edit, {
    url: accessUrl,
    path,
    answers: {
      ...answers,
      ...SESSIONS,
      [`GET /api/admin/users/${ID(1)}`]: { ...USER, confirmation: 'pending' },
      [`POST /api/admin/users/${ID(1)}/verify`]: {},
    },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Confirm address' }));
  expect(await screen.findByText('The address is confirmed.')).toBeTruthy();
  expect(calls(`POST /api/admin/users/${ID(1)}/verify`)).toHaveLength(1);
});
