import { afterEach, expect, spyOn, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/sso');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { GUEST, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const sso = await import('./sso.tsx');
const callback = await import('./sso-callback.tsx');
const register = await import('./sso-register.tsx');

afterEach(cleanup);

const PROVIDER = { id: '0190a000-0000-7000-8000-000000000001', name: 'Nordlicht ID', icon: 'key' };
const OPTIONS = {
  registration: true,
  verification: false,
  sends_mail: false,
  setup_valid: false,
  reset_valid: false,
  empty: false,
  referral: 'off',
  providers: [PROVIDER],
};
const options = (change: object = {}) => ({ 'GET /api/auth/options': { ...OPTIONS, ...change } });
const BACK = '/auth/sso/callback';

test('without a service /auth/sso says so and leads back to the log-in', async () => {
  showScreen(sso, { url: '/auth/sso', session: GUEST, answers: options({ providers: [] }) });
  expect(await screen.findByRole('heading', { name: 'No other way to log in' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to log in' }).getAttribute('href')).toBe('/auth/login');
});

test('choosing a service leads to its consent page, by itself and as a link', async () => {
  const left: string[] = [];
  const assign = spyOn(window.location, 'assign').mockImplementation((url) => void left.push(String(url)));
  const { calls } = showScreen(sso, {
    url: '/auth/sso',
    session: GUEST,
    answers: { ...options(), 'POST /api/auth/sso/start': { url: 'https://id.example/authorize?state=s.x' } },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Log in with Nordlicht ID' }));
  expect((await screen.findByRole('link', { name: 'Continue to the service' })).getAttribute('href')).toBe(
    'https://id.example/authorize?state=s.x',
  );
  await waitFor(() => expect(left).toEqual(['https://id.example/authorize?state=s.x']));
  expect(calls('POST /api/auth/sso/start').map(({ body }) => body)).toEqual([{ provider: PROVIDER.id }]);
  assign.mockRestore();
});

test('a service that does not answer is said in words', async () => {
  showScreen(sso, {
    url: '/auth/sso',
    session: GUEST,
    answers: { ...options(), 'POST /api/auth/sso/start': refuse('SSO_UNAVAILABLE') },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Log in with Nordlicht ID' }));
  expect(await screen.findByText('The service gives no clear answer right now.', { exact: false })).toBeTruthy();
});

test.each([
  ['signed-in', '/dashboard'],
  ['second-factor', '/auth/2fa/verify'],
  ['register', '/auth/sso/register'],
])('the way back sends itself once; what comes next (%s) is at %s', async (next, to) => {
  const { calls } = showScreen(callback, {
    url: `${BACK}?code=abc&state=s.xyz&iss=https%3A%2F%2Fid.example`,
    session: GUEST,
    answers: { 'POST /api/auth/sso/finish': { next } },
  });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe(to);
  expect(calls('POST /api/auth/sso/finish').map(({ body }) => body)).toEqual([
    { code: 'abc', state: 's.xyz', iss: 'https://id.example' },
  ]);
});

test('a link that was begun ends at the account', async () => {
  const { calls } = showScreen(callback, {
    url: `${BACK}?code=abc&state=l.xyz`,
    answers: { 'POST /api/account/linked': { name: 'vlad' } },
  });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/account?tab=linked');
  expect(calls('POST /api/account/linked').map(({ body }) => body)).toEqual([{ code: 'abc', state: 'l.xyz' }]);
});

test('T33 a refused answer is shown and not sent again, and one that did not come back is not sent at all', async () => {
  const { calls } = showScreen(callback, {
    url: `${BACK}?code=abc&state=s.xyz`,
    session: GUEST,
    answers: { 'POST /api/auth/sso/finish': refuse('LINK_STATE_INVALID') },
  });
  expect(await screen.findByText('This attempt has expired', { exact: false })).toBeTruthy();
  expect(calls('POST /api/auth/sso/finish')).toHaveLength(1);
  cleanup();
  for (const [query, words] of [
    ['?error=access_denied&state=s.xyz', 'Nothing was changed: you declined at the service.'],
    ['?code=abc', 'The service didn’t send a response. Start again.'],
    ['', 'The service didn’t send a response. Start again.'],
  ] as const) {
    const { calls: none } = showScreen(callback, { url: BACK + query, session: GUEST });
    expect(await screen.findByText(words)).toBeTruthy();
    expect(none('POST /api/auth/sso/finish')).toEqual([]);
    cleanup();
  }
});

test('T34 a banned user who signs in elsewhere reads why, until when and how to appeal', async () => {
  const ban = { reason: 'two accounts', until: null, appeal: 'Write to help@host.example' };
  showScreen(callback, {
    url: `${BACK}?code=abc&state=s.xyz`,
    session: GUEST,
    answers: { 'POST /api/auth/sso/finish': refuse('ACCOUNT_BANNED', {}, undefined, ban) },
  });
  expect(await screen.findByText('two accounts', { exact: false })).toBeTruthy();
  expect(screen.getByText(/help@host\.example/)).toBeTruthy();
});

test('T37 without scripts the way back is a form with a button: a GET changes nothing', () => {
  const html = serverHtml(callback, { url: BACK }, { code: 'abc', state: 's.x', iss: '', declined: false });
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toMatch(/name="code"[^>]*value="abc"|value="abc"[^>]*name="code"/);
  expect(html).toContain('Continue');
});

const REGISTRATION = {
  provider: 'Nordlicht ID',
  username: 'vlad.m',
  email: 'vlad@mail.example',
  first_name: 'Vlad',
  last_name: 'Munteanu',
  has_account: false,
};
const form = (registration: object | null, more: object = {}) =>
  showScreen(register, {
    url: '/auth/sso/register',
    session: GUEST,
    answers: { ...options(), 'GET /api/auth/sso/registration': { registration }, ...more },
  });

test('registering asks for what is missing only, and begins with what the service said', async () => {
  const { calls } = form(REGISTRATION, {
    'POST /api/auth/sso/register': { signed_in: true, referral: 'none' },
  });
  expect(((await screen.findByLabelText('Username')) as HTMLInputElement).value).toBe('vlad.m');
  expect(screen.queryByLabelText('E-mail')).toBeNull();
  expect(screen.queryByLabelText('Password')).toBeNull();
  fireEvent.click(screen.getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
  expect(calls('POST /api/auth/sso/register').map(({ body }) => body)).toEqual([
    { username: 'vlad.m', first_name: 'Vlad', last_name: 'Munteanu', terms: true },
  ]);
});

test('whoever wanted a page before they registered through a service comes to it', async () => {
  localStorage.setItem('redirectAfterLogin', '/store');
  form(REGISTRATION, { 'POST /api/auth/sso/register': { signed_in: true, referral: 'none' } });
  fireEvent.click(await screen.findByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store');
});

test('an address that is not proven is asked for, and then waits for its link', async () => {
  form({ ...REGISTRATION, email: null }, { 'POST /api/auth/sso/register': { signed_in: false, referral: 'none' } });
  type(await screen.findByLabelText('E-mail'), 'vlad@mail.example');
  fireEvent.click(screen.getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByRole('heading', { name: 'Check your inbox' })).toBeTruthy();
});

test('T33 whose address has an account is sent to log in and link, and an old form says that it is over', async () => {
  form({ ...REGISTRATION, has_account: true });
  expect(await screen.findByText('There’s already an account with vlad@mail.example', { exact: false })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Create account' })).toBeNull();
  cleanup();
  form(null);
  expect(await screen.findByRole('heading', { name: 'This registration has expired' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Choose a service' }).getAttribute('href')).toBe('/auth/sso');
});
