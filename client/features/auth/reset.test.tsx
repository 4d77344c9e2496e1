import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import passwordReset from '#locales/en/passwordReset.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/forgot-password');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { GUEST, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const forgot = await import('./forgot.tsx');
const reset = await import('./reset.tsx');
const login = await import('./login.tsx');

afterEach(cleanup);

const options = (change: object) => ({
  'GET /api/auth/options': {
    registration: true,
    verification: false,
    sends_mail: true,
    setup_valid: false,
    providers: [],
    reset_valid: false,
    empty: false,
    ...change,
  },
});
const FORGOT = { url: '/auth/forgot-password', session: GUEST };
const RESET = { url: '/auth/reset-password?token=abc', session: GUEST };
const LINKED = options({ reset_valid: true });

async function askFor(name: string): Promise<void> {
  type(await screen.findByLabelText('Username or e-mail'), name);
  fireEvent.click(screen.getByRole('button', { name: passwordReset.forgotSend }));
}
async function choose(password: string): Promise<void> {
  type(await screen.findByLabelText(passwordReset.newPassword), password);
  fireEvent.click(screen.getByRole('button', { name: passwordReset.setPassword }));
}

test('asking for the e-mail says where it goes if there is an account', async () => {
  const { calls } = showScreen(forgot, { ...FORGOT, answers: { ...options({}), 'POST /api/auth/forgot': {} } });
  await askFor('mirela.v');
  expect(await screen.findByRole('heading', { name: 'Check your inbox' })).toBeTruthy();
  expect(screen.getByText('mirela.v').tagName).toBe('B');
  expect(screen.getByText(passwordReset.sentSpam)).toBeTruthy();
  expect(calls('POST /api/auth/forgot').map((call) => call.body)).toEqual([{ login: 'mirela.v' }]);
});

test('a host without mail says where the e-mail lies, before and after', async () => {
  showScreen(forgot, { ...FORGOT, answers: { ...options({ sends_mail: false }), 'POST /api/auth/forgot': {} } });
  expect(await screen.findByText(passwordReset.noMail)).toBeTruthy();
  await askFor('mirela.v');
  expect(await screen.findByRole('heading', { name: passwordReset.keptTitle })).toBeTruthy();
  expect(screen.getByText(passwordReset.noMail)).toBeTruthy();
  expect(screen.queryByText(passwordReset.sentSpam)).toBeNull();
});

test('an empty name is named at its field, and too many tries with the time to wait', async () => {
  const { calls } = showScreen(forgot, {
    ...FORGOT,
    answers: { ...options({}), 'POST /api/auth/forgot': refuse('RATE_LIMITED', {}, 90) },
  });
  fireEvent.click(await screen.findByRole('button', { name: passwordReset.forgotSend }));
  await waitFor(() => expect(screen.getByLabelText('Username or e-mail').getAttribute('aria-invalid')).toBe('true'));
  expect(calls('POST /api/auth/forgot')).toEqual([]);
  await askFor('mirela.v');
  expect(await screen.findByText(/1 min 30 s/)).toBeTruthy();
  expect((screen.getByLabelText('Username or e-mail') as HTMLInputElement).value).toBe('mirela.v');
});

test('the form of the link sets a password and goes to the log-in', async () => {
  const { calls } = showScreen(reset, { ...RESET, answers: { ...LINKED, 'POST /api/auth/reset': {} } });
  await choose('plough lantern meadow');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/login?reset=done');
  expect(calls('GET /api/auth/options')[0]?.path).toContain('reset_token=abc');
  expect(calls('POST /api/auth/reset').map((call) => call.body)).toEqual([
    { token: 'abc', password: 'plough lantern meadow' },
  ]);
});

test('a common password is refused at its field', async () => {
  showScreen(reset, {
    ...RESET,
    answers: { ...LINKED, 'POST /api/auth/reset': refuse('VALIDATION_FAILED', { password: ['PASSWORD_COMMON'] }) },
  });
  await choose('Password2024');
  expect((await screen.findAllByText(errors.field.PASSWORD_COMMON)).length).toBeGreaterThan(0);
  const field = screen.getByLabelText(passwordReset.newPassword) as HTMLInputElement;
  expect([field.getAttribute('aria-invalid'), screen.queryByText(passwordReset.badText)]).toEqual(['true', null]);
});

test('a link that is no good leads to a new e-mail, also where it died while the page was open', async () => {
  const { calls } = showScreen(reset, {
    ...RESET,
    answers: { ...LINKED, 'POST /api/auth/reset': refuse('RESET_LINK_INVALID') },
  });
  await choose('plough lantern meadow');
  expect((await screen.findByRole('link', { name: passwordReset.askNew })).getAttribute('href')).toBe(
    '/auth/forgot-password',
  );
  expect(calls('POST /api/auth/reset')).toHaveLength(1);
  cleanup();
  showScreen(reset, { ...RESET, answers: options({}) });
  expect(await screen.findByText(passwordReset.badText)).toBeTruthy();
  cleanup();
  const bare = showScreen(reset, { ...RESET, url: '/auth/reset-password', answers: {} });
  expect(await screen.findByText(passwordReset.badText)).toBeTruthy();
  expect(bare.calls('GET /api/auth/options')).toEqual([]);
});

test('both forms are there without scripts', () => {
  expect(serverHtml(forgot, FORGOT, { sends_mail: true })).toContain('method="post"');
  expect(serverHtml(reset, RESET, { token: 'abc', good: true })).toContain('name="token" value="abc"');
});

test('the log-in leads to the e-mail, and says that the new password is set until somebody has tried it', async () => {
  showScreen(login, {
    url: '/auth/login?reset=done',
    session: GUEST,
    answers: { ...options({}), 'POST /api/auth/login': refuse('LOGIN_FAILED') },
  });
  expect(await screen.findByText(/Your new password is set/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Forgot your password?' }).getAttribute('href')).toBe(
    '/auth/forgot-password',
  );
  type(screen.getByLabelText('Username or e-mail'), 'mirela.v');
  type(screen.getByLabelText('Password'), 'not that one');
  fireEvent.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText(errors.LOGIN_FAILED)).toBeTruthy();
  expect(screen.queryByText(/Your new password is set/)).toBeNull();
});
