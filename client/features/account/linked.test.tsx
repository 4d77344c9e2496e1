import { afterEach, expect, test, spyOn } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { NO_PASSKEYS, refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');
const discord = await import('./discord.tsx');

afterEach(cleanup);

const ACCOUNT = {
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  locale: 'en',
  verified: true,
  has_password: true,
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-08-12T10:00:00.000Z',
  skin: null,
};
const ID = '0190a000-0000-7000-8000-000000000001';
const IDENTITY = { id: ID, name: 'vlad', linked_at: '2026-08-12T10:00:00.000Z', relink: false };
const tab = (state: object, more: object = {}, others: readonly object[] = []) =>
  showScreen(account, {
    url: '/account?tab=linked',
    answers: {
      'GET /api/account': ACCOUNT,
      'GET /api/account/linked': { discord: { available: true, identity: null, can_unlink: false, ...state }, others },
      'GET /api/account/passkeys': NO_PASSKEYS,
      ...more,
    },
  });
const BACK = '/account/linked/discord';

test('linking leads to the consent page, by itself and as a link', async () => {
  const left: string[] = [];
  const assign = spyOn(window.location, 'assign').mockImplementation((url) => void left.push(String(url)));
  tab({}, { 'POST /api/account/linked/discord/start': { url: 'https://discord.example/authorize?state=x' } });
  fireEvent.click(await screen.findByRole('button', { name: /^Link ?: ?Discord$/ }));
  expect((await screen.findByRole('link', { name: 'Continue to Discord' })).getAttribute('href')).toBe(
    'https://discord.example/authorize?state=x',
  );
  await waitFor(() => expect(left).toEqual(['https://discord.example/authorize?state=x']));
  assign.mockRestore();
});

test('T31 linking asks for the password in its place, refuses a wrong one, and then goes on', async () => {
  const start = 'POST /api/account/linked/discord/start';
  let confirmed = false;
  const { calls } = tab(
    {},
    {
      [start]: refuse('CONFIRM_REQUIRED'),
      'GET /api/account/passkeys': () => ({ ...NO_PASSKEYS, confirmed }),
      'POST /api/auth/confirm': ({ body }: { body: { password: string } }) => {
        confirmed = body.password === 'correct horse battery';
        return confirmed ? {} : refuse('VALIDATION_FAILED', { password: ['PASSWORD_WRONG'] });
      },
    },
  );
  expect(await screen.findByText('Not linked')).toBeTruthy();
  expect(screen.queryByText('First confirm that it’s you')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: /^Link ?: ?Discord$/ }));
  expect(await screen.findByText('First confirm that it’s you')).toBeTruthy();
  const send = (password: string) => {
    fireEvent.change(screen.getByLabelText('Your password'), { target: { value: password } });
    fireEvent.click(screen.getByRole('button', { name: 'Confirm' }));
  };
  send('not the password');
  expect((await screen.findAllByText('The current password is wrong.')).length).toBeGreaterThan(0);
  send('correct horse battery');
  expect(await screen.findByText('You confirmed that it’s you.', { exact: false })).toBeTruthy();
  expect(screen.queryByLabelText('Your password')).toBeNull();
  expect(calls('POST /api/auth/confirm')).toHaveLength(2);
});

test('a linked account is named, and unlinking asks first', async () => {
  const { calls } = tab({ identity: IDENTITY, can_unlink: true }, { [`DELETE /api/account/linked/${ID}`]: {} });
  expect(await screen.findByText('vlad, linked on', { exact: false })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /^Unlink ?: ?Discord$/ }));
  expect(await screen.findByText('Unlink vlad?')).toBeTruthy();
  expect(calls(`DELETE /api/account/linked/${ID}`)).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Unlink' }));
  expect(await screen.findByText('Account unlinked.')).toBeTruthy();
});

test('the last way in stays, a worn link is renewed, an installation without Discord says so', async () => {
  tab({ identity: IDENTITY });
  expect(await screen.findByText('Set a password first', { exact: false })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Unlink ?: ?Discord$/ })).toBeNull();
  cleanup();
  tab({ identity: { ...IDENTITY, relink: true }, can_unlink: true });
  expect(await screen.findByRole('button', { name: /^Link again ?: ?Discord$/ })).toBeTruthy();
  cleanup();
  tab({ available: false });
  expect(await screen.findByText('Not available on this host.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Link ?: ?Discord$/ })).toBeNull();
});

test('services that can be signed in with are linked and unlinked, and a link to one that is gone can be ended', async () => {
  const left: string[] = [];
  const assign = spyOn(window.location, 'assign').mockImplementation((url) => void left.push(String(url)));
  const { calls } = tab(
    {},
    {
      'POST /api/account/linked/start': { url: 'https://id.example/authorize' },
      [`DELETE /api/account/linked/${ID}`]: {},
    },
    [
      { provider: ID, name: 'Nordlicht ID', icon: 'key', identity: null, can_unlink: false },
      { provider: null, name: 'gone.example', icon: 'key', identity: IDENTITY, can_unlink: true },
    ],
  );
  fireEvent.click(await screen.findByRole('button', { name: /^Unlink ?: ?gone.example$/ }));
  expect(await screen.findByText('You can link it again whenever you like.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Unlink' }));
  expect(await screen.findByText('Account unlinked.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /^Link ?: ?Nordlicht ID$/ }));
  expect(await screen.findByRole('link', { name: 'Continue to the service' })).toBeTruthy();
  expect(calls('POST /api/account/linked/start').map(({ body }) => body)).toEqual([{ provider: ID }]);
  await waitFor(() => expect(left).toEqual(['https://id.example/authorize']));
  assign.mockRestore();
});

test('a refused link is shown in words', async () => {
  tab({ identity: IDENTITY, can_unlink: true }, { [`DELETE /api/account/linked/${ID}`]: refuse('LAST_WAY_IN') });
  fireEvent.click(await screen.findByRole('button', { name: /^Unlink ?: ?Discord$/ }));
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink' }));
  expect(await screen.findByText('This is your only way to log in.', { exact: false })).toBeTruthy();
});

test('the way back sends itself once, and leads to the account', async () => {
  const { calls } = showScreen(discord, {
    url: `${BACK}?code=abc&state=xyz`,
    answers: { 'POST /api/account/linked/discord': { name: 'vlad' } },
  });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/account?tab=linked');
  expect(calls('POST /api/account/linked/discord').map(({ body }) => body)).toEqual([{ code: 'abc', state: 'xyz' }]);
});

test('T33 a refused redirect is shown and not sent again, and one without a code is not sent', async () => {
  const { calls } = showScreen(discord, {
    url: `${BACK}?code=abc&state=xyz`,
    answers: { 'POST /api/account/linked/discord': refuse('LINK_STATE_INVALID') },
  });
  expect(await screen.findByText('This attempt has expired', { exact: false })).toBeTruthy();
  expect(calls('POST /api/account/linked/discord')).toHaveLength(1);
  cleanup();
  for (const [query, words] of [
    ['?error=access_denied&state=xyz', 'Nothing was linked: you declined on Discord.'],
    ['?code=abc', 'Discord didn’t send a response. Start again from your account.'],
    ['', 'Discord didn’t send a response. Start again from your account.'],
  ] as const) {
    const { calls: none } = showScreen(discord, { url: BACK + query });
    expect(await screen.findByText(words, { exact: false })).toBeTruthy();
    expect(none('POST /api/account/linked/discord')).toEqual([]);
    cleanup();
  }
});

test('T37 without scripts the way back is a form with a button: a GET changes nothing', () => {
  const html = serverHtml(discord, { url: BACK }, { code: 'abc', state: 'xyz', declined: false });
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toMatch(/name="code"[^>]*value="abc"|value="abc"[^>]*name="code"/);
  expect(html).toContain('Link now');
});
