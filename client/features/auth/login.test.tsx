import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/login');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { GUEST, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const { stubPasskeys } = await import('#tests/support/passkey-browser.ts');
const login = await import('./login.tsx');

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const OPEN = {
  'GET /api/auth/options': {
    registration: true,
    verification: false,
    setup_valid: false,
    empty: false,
    providers: [],
    passkey_domain: null,
  },
};

async function fillIn(): Promise<void> {
  type(await screen.findByLabelText('Username or e-mail'), 'mirela.v');
  type(screen.getByLabelText('Password'), 'correct horse battery');
  fireEvent.click(screen.getByRole('button', { name: 'Log in' }));
}

test('the form logs in and goes to the dashboard', async () => {
  const { calls } = showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { ...OPEN, 'POST /api/auth/login': { second_factor: false } },
  });
  await fillIn();
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
  expect(calls('POST /api/auth/login').map((call) => call.body)).toEqual([
    { login: 'mirela.v', password: 'correct horse battery' },
  ]);
});

test('the log-in goes where the visitor wanted to go, once', async () => {
  localStorage.setItem('redirectAfterLogin', '/store?from=mail');
  showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { ...OPEN, 'POST /api/auth/login': { second_factor: false } },
  });
  await fillIn();
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store?from=mail');
  expect(localStorage.getItem('redirectAfterLogin')).toBeNull();
});

test('T30 the log-in with a second factor goes to the second step, and keeps the target until then', async () => {
  localStorage.setItem('redirectAfterLogin', '/store?from=mail');
  showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { ...OPEN, 'POST /api/auth/login': { second_factor: true } },
  });
  await fillIn();
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/2fa/verify');
  expect(localStorage.getItem('redirectAfterLogin')).toBe('/store?from=mail');
});

test('a refused login says so, keeps the name and never the password', async () => {
  showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { ...OPEN, 'POST /api/auth/login': refuse('LOGIN_FAILED') },
  });
  await fillIn();
  const problem = await screen.findByText(errors.LOGIN_FAILED);
  await waitFor(() => expect(document.activeElement?.contains(problem)).toBe(true));
  expect(document.activeElement?.getAttribute('tabindex')).toBe('-1');
  expect((screen.getByLabelText('Username or e-mail') as HTMLInputElement).value).toBe('mirela.v');
});

test('a throttled login says how long to wait', async () => {
  showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { ...OPEN, 'POST /api/auth/login': refuse('RATE_LIMITED', {}, 90) },
  });
  await fillIn();
  expect(await screen.findByText(/1 min 30 s/)).toBeTruthy();
});

test('empty fields are named before anything is sent', async () => {
  const { calls } = showScreen(login, { url: '/auth/login', session: GUEST, answers: OPEN });
  fireEvent.click(await screen.findByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Please fix 2 fields')).toBeTruthy();
  expect(screen.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true');
  expect(calls('POST /api/auth/login')).toEqual([]);
});

test('an installation without accounts points to the set-up link, and closed registration is said', async () => {
  const answers = {
    'GET /api/auth/options': {
      registration: false,
      verification: false,
      setup_valid: false,
      empty: true,
      providers: [],
    },
  };
  showScreen(login, { url: '/auth/login', session: GUEST, answers });
  expect(await screen.findByText(/set-up link/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Create an account' })).toBeNull();
});

test('S4.7 T30 a passkey logs in by a button, without a name, and goes where the visitor wanted to go', async () => {
  localStorage.setItem('redirectAfterLogin', '/store?from=mail');
  const browser = stubPasskeys();
  const { calls } = showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    inBrowser: true,
    answers: {
      'GET /api/auth/options': { registration: true, empty: false, providers: [], passkey_domain: 'panel.example' },
      'POST /api/auth/passkey/options': { options: browser.requestOptions },
      'POST /api/auth/passkey': {},
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store?from=mail');
  expect(calls('POST /api/auth/passkey').map(({ body }) => body)).toEqual([browser.proof]);
  browser.restore();
});

test('the place of the button is kept where the browser has no passkeys or the page is at another address', async () => {
  const options = { registration: true, empty: false, providers: [], passkey_domain: 'elsewhere.example' };
  const { container } = showScreen(login, {
    url: '/auth/login',
    session: GUEST,
    answers: { 'GET /api/auth/options': options },
  });
  const field = await screen.findByLabelText('Username or e-mail');
  expect(field.getAttribute('autocomplete')).toBe('username webauthn');
  expect(container.querySelector('.sp-passkey')?.hasAttribute('data-off')).toBe(true);
});
