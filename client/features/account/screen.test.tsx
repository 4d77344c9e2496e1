import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, NO_PASSKEYS, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ACCOUNT = {
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  locale: 'en',
  verified: true,
  has_password: true,
  confirmation: 'confirmed',
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-08-12T10:00:00.000Z',
  skin: null,
};
const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const AT = { created_at: NOW, seen_at: NOW };
const SESSIONS = {
  sessions: [
    { id: ID(1), device: 'Firefox · Android', address: '192.0.2.7', ...AT, factor_at: NOW, current: false },
    { id: ID(2), device: 'Chrome · Windows', address: '192.0.2.8', ...AT, factor_at: null, current: true },
  ],
};
const PLAIN = { reason: null, undoes: null, ref: null, actor: null, reference: null };
const STATEMENT = {
  rows: [
    {
      id: ID(1),
      at: NOW,
      kind: 'reward.redeem',
      subject: 'AUTUMN-LEAVES',
      amount: 150,
      balance_after: 1284,
      counterpart: 'system:reward.redeem',
      ...PLAIN,
    },
    {
      id: ID(2),
      at: NOW,
      kind: 'store.buy',
      subject: 'memory',
      amount: -150,
      balance_after: 1134,
      counterpart: 'system:store',
      ...PLAIN,
    },
  ],
  paging: { per_page: 25, newer: '1763726300000.a-2.0', older: '1763726200000.a-3.0' },
  balance: 1284,
  held: 100,
  debt: 0,
};
const EMAIL = { email: ACCOUNT.email, pending: null, sends_mail: true };
const PIN = { 'GET /api/account/support-pin': { support_pin: null } };
const TABS = { 'GET /api/account/email': EMAIL, 'GET /api/account/passkeys': NO_PASSKEYS };
const MINE = { 'GET /api/account': ACCOUNT, ...TABS, ...PIN };

test('profile: the form shows who one is and saves names and language', async () => {
  const { calls } = showScreen(account, { url: '/account', answers: { ...MINE, 'PATCH /api/account': {} } });
  type(await screen.findByLabelText('First name'), 'Mira');
  expect(screen.getByText('mirela@example.org')).toBeTruthy();
  expect(screen.getByText('confirmed')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Profile saved.')).toBeTruthy();
  expect(calls('PATCH /api/account')[0]?.body).toEqual({
    first_name: 'Mira',
    last_name: 'Vasile',
    locale: 'en',
    time_zone: null,
  });
});

test('profile: the page follows a new language', async () => {
  const chosen: string[] = [];
  showScreen(account, {
    url: '/account',
    shell: { setLocale: (locale) => void chosen.push(locale) },
    answers: { ...MINE, 'PATCH /api/account': {} },
  });
  fireEvent.change(await screen.findByLabelText('Language'), { target: { value: 'de' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Profile saved.');
  await waitFor(() => expect(chosen).toEqual(['de']));
});

test('profile: an empty name stands at its field and is not sent', async () => {
  const { calls } = showScreen(account, { url: '/account', answers: { ...MINE, 'PATCH /api/account': {} } });
  type(await screen.findByLabelText('Last name'), ' ');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Please fix 1 field');
  expect(screen.getByLabelText('Last name').getAttribute('aria-invalid')).toBe('true');
  expect(calls('PATCH /api/account')).toEqual([]);
});

test('an address that is not confirmed leads to its confirmation', async () => {
  showScreen(account, {
    url: '/account',
    answers: { ...MINE, 'GET /api/account': { ...ACCOUNT, verified: false, confirmation: 'pending' } },
  });
  expect((await screen.findByRole('link', { name: 'Confirm now' })).getAttribute('href')).toBe('/auth/verify');
});

test('Screen 2 an address that nobody asks to confirm is not called confirmed', async () => {
  showScreen(account, {
    url: '/account',
    answers: { ...MINE, 'GET /api/account': { ...ACCOUNT, confirmation: 'not_asked' } },
  });
  expect(await screen.findByText(ACCOUNT.email)).toBeTruthy();
  expect(screen.queryByText('confirmed')).toBeNull();
  expect(screen.queryByText('not confirmed')).toBeNull();
});

test('password: a wrong current one stands at its field, and success empties the form', async () => {
  let right = false;
  const change = () => (right ? {} : refuse('VALIDATION_FAILED', { current: ['PASSWORD_WRONG'] }));
  showScreen(account, { url: '/account?tab=security', answers: { ...MINE, 'POST /api/account/password': change } });
  const fill = async () => {
    type(await screen.findByLabelText('Current password'), 'the old one, wrong');
    type(screen.getByLabelText('New password'), 'four words only mine');
    fireEvent.click(screen.getByRole('button', { name: 'Change password' }));
  };
  await fill();
  expect(await screen.findByText('Please fix 1 field')).toBeTruthy();
  expect(screen.getByLabelText('Current password').getAttribute('aria-invalid')).toBe('true');
  right = true;
  await fill();
  expect(await screen.findByText(/Password changed/)).toBeTruthy();
  expect((screen.getByLabelText('New password') as HTMLInputElement).value).toBe('');
});

test('sessions: this one comes first and cannot be ended, and another one ends at once', async () => {
  const { calls } = showScreen(account, {
    url: '/account?tab=sessions',
    answers: { ...MINE, 'GET /api/account/sessions': SESSIONS, [`DELETE /api/account/sessions/${ID(1)}`]: {} },
  });
  const items = await screen.findAllByRole('listitem');
  expect(items[0]?.textContent).toContain('Chrome on WindowsThis device');
  expect(items.map(({ textContent }) => textContent?.includes('Second factor passed'))).toEqual([false, true]);
  expect(screen.queryByRole('button', { name: 'End the session of Chrome on Windows' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'End the session of Firefox on Android' }));
  expect(await screen.findByText('Session ended.')).toBeTruthy();
  expect(calls(`DELETE /api/account/sessions/${ID(1)}`)).toHaveLength(1);
});

test('sessions: all others end after a question, and only after it', async () => {
  const { calls } = showScreen(account, {
    url: '/account?tab=sessions',
    answers: { ...MINE, 'GET /api/account/sessions': SESSIONS, 'DELETE /api/account/sessions': { ended: 3 } },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'End all others' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(calls('DELETE /api/account/sessions')).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'End all others' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End all others' }));
  expect(await screen.findByText('3 sessions ended.')).toBeTruthy();
});

test('sessions: a refusal is said in words', async () => {
  showScreen(account, {
    url: '/account?tab=sessions',
    answers: {
      ...MINE,
      'GET /api/account/sessions': SESSIONS,
      [`DELETE /api/account/sessions/${ID(1)}`]: refuse('NOT_FOUND'),
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'End the session of Firefox on Android' }));
  expect(await screen.findByText(errors.NOT_FOUND)).toBeTruthy();
});

test('statement: rows are in words, filters come from the address, and links keep them', async () => {
  const url = '/account?tab=statement&direction=out&from=2026-11-01&to=yesterday&before=1763726400000.a-1.0';
  const { calls } = showScreen(account, { url, answers: { ...MINE, 'GET /api/account/statement': STATEMENT } });
  const rows = await screen.findAllByRole('rowheader');
  expect(rows.map((row) => row.querySelector('summary')?.textContent)).toEqual([
    'Redeemed code AUTUMN-LEAVES',
    'Store purchase Memory',
  ]);
  // Each row says why, and leads to what it is about.
  expect(
    within(rows[0] as HTMLElement).getByText('You redeemed the code AUTUMN-LEAVES.', { exact: false }),
  ).toBeTruthy();
  expect(
    within(rows[1] as HTMLElement)
      .getByRole('link', { name: 'Open the store', hidden: true })
      .getAttribute('href'),
  ).toBe('/store');
  expect(screen.getAllByText('Rewards').length).toBeGreaterThan(0);
  expect(calls('GET /api/account/statement')[0]?.path).toBe(
    '/api/account/statement?direction=out&from=2026-11-01&before=1763726400000.a-1.0&per_page=25',
  );
  expect(screen.getByRole('link', { name: 'Download this statement as CSV' }).getAttribute('href')).toBe(
    '/api/account/statement.csv?direction=out&from=2026-11-01',
  );
  const hrefs = ['Newest', 'Newer', 'Older'].map((name) => screen.getByRole('link', { name }).getAttribute('href'));
  expect(hrefs).toEqual([
    '/account?tab=statement&direction=out&from=2026-11-01&to=yesterday',
    '/account?tab=statement&direction=out&from=2026-11-01&to=yesterday&after=1763726300000.a-2.0',
    '/account?tab=statement&direction=out&from=2026-11-01&to=yesterday&before=1763726200000.a-3.0',
  ]);
  expect((screen.getByLabelText('From') as HTMLInputElement).value).toBe('2026-11-01');
});

test('statement: a newcomer reads that it is empty, and a filter that nothing matches', async () => {
  const empty = { ...STATEMENT, rows: [], paging: { per_page: 25, newer: null, older: null } };
  showScreen(account, { url: '/account?tab=statement', answers: { ...MINE, 'GET /api/account/statement': empty } });
  expect(await screen.findByText('No transactions yet')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Earn your first credits' }).getAttribute('href')).toBe('/earn/afk');
  cleanup();
  showScreen(account, {
    url: '/account?tab=statement&kind=store.buy',
    answers: { ...MINE, 'GET /api/account/statement': empty },
  });
  expect(await screen.findByText('No results')).toBeTruthy();
});

test('every part has an address of its own, also without scripts', () => {
  const html = serverHtml(
    account,
    { url: '/account?tab=security' },
    { tab: 'security', account: ACCOUNT, sessions: null, statement: null },
  );
  for (const tab of ['security', 'sessions', 'statement']) expect(html).toContain(`href="/account?tab=${tab}"`);
  expect(html).toMatch(
    /<form[^>]*action="\/account\?tab=security"[^>]*method="post"|<form[^>]*method="post"[^>]*action="\/account\?tab=security"/,
  );
  expect(html).toContain('name="_intent" value="password"');
});

test('the support PIN is shown in two groups with its end, and a new one is a click away', async () => {
  const pin = { support_pin: { pin: '480317', expires_at: '2026-11-22T18:00:00.000Z' } };
  const { calls } = showScreen(account, {
    url: '/account',
    answers: { ...MINE, 'GET /api/account/support-pin': pin, 'POST /api/account/support-pin': pin },
  });
  expect(await screen.findByText('480 317')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'New PIN' }));
  await waitFor(() => expect(calls('POST /api/account/support-pin')).toHaveLength(1));
});
