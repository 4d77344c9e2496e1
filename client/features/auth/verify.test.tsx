import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/verify');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { GUEST, MIRELA, refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const verify = await import('./verify.tsx');
const logout = await import('./logout.tsx');
const login = await import('./login.tsx');

afterEach(cleanup);

const UNVERIFIED = { user: { ...MIRELA, verified: false } };

test('opening the link confirms nothing; the button does', async () => {
  const { calls } = showScreen(verify, {
    url: '/auth/verify?token=abc',
    session: GUEST,
    answers: { 'POST /api/auth/verify': {} },
  });
  const button = await screen.findByRole('button', { name: 'Confirm e-mail' });
  expect(calls('POST /api/auth/verify')).toEqual([]);
  fireEvent.click(button);
  expect(await screen.findByRole('heading', { name: 'E-mail confirmed' })).toBeTruthy();
  expect(calls('POST /api/auth/verify')[0]?.body).toEqual({ token: 'abc' });
  expect(screen.getByRole('link', { name: 'Go to log in' }).getAttribute('href')).toBe('/auth/login');
});

test('a link that does not work leads everybody to another e-mail', async () => {
  const answers = {
    'POST /api/auth/verify': refuse('VERIFY_LINK_INVALID'),
    'POST /api/auth/verify/resend': {},
    'POST /api/auth/verify/request': {},
  };
  showScreen(verify, { url: '/auth/verify?token=old', session: GUEST, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Confirm e-mail' }));
  expect(await screen.findByRole('heading', { name: 'This link no longer works' })).toBeTruthy();
  fireEvent.input(screen.getByLabelText('E-mail'), { target: { value: ' mirela@example.org ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send again' }));
  expect(
    await screen.findByText(
      'If mirela@example.org is waiting for its link, we’ve sent another e-mail. At most one a minute.',
    ),
  ).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to log in' })).toBeTruthy();
  cleanup();
  showScreen(verify, { url: '/auth/verify?token=old', session: UNVERIFIED, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Confirm e-mail' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Send again' }));
  expect(await screen.findByText('We’ve sent another e-mail to mirela@example.org.')).toBeTruthy();
});

test('a user who asks too soon is refused in words', async () => {
  const answers = { 'POST /api/auth/verify/resend': refuse('RESEND_TOO_SOON', {}, 40) };
  showScreen(verify, { url: '/auth/verify', session: UNVERIFIED, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Send again' }));
  expect(await screen.findByText(`${errors.RESEND_TOO_SOON} (40 s)`)).toBeTruthy();
});

test('a confirmed user reads that the address is confirmed', async () => {
  showScreen(verify, { url: '/auth/verify' });
  expect(await screen.findByRole('heading', { name: 'E-mail confirmed' })).toBeTruthy();
});

test('an address that is none is named at its field', async () => {
  showScreen(verify, {
    url: '/auth/verify',
    session: GUEST,
    answers: { 'POST /api/auth/verify/request': refuse('VALIDATION_FAILED', { email: ['INVALID_EMAIL'] }) },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Send again' }));
  await waitFor(() => expect(screen.getByLabelText('E-mail').getAttribute('aria-invalid')).toBe('true'));
});

test('Screen 2 where nobody asks for it the page calls no address confirmed', async () => {
  showScreen(verify, { url: '/auth/verify', session: { user: { ...MIRELA, confirmation: 'not_asked' } } });
  expect(await screen.findByRole('heading', { name: 'Nothing to confirm' })).toBeTruthy();
  expect(screen.queryByText(/is confirmed/)).toBeNull();
});

test('Screen 10 logging out leads to a login page that says so, and that the servers keep running', async () => {
  const { calls } = showScreen(logout, { url: '/auth/logout', answers: { 'POST /api/auth/logout': {} } });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/login?logout=done');
  expect(calls('POST /api/auth/logout')).toHaveLength(1);
  cleanup();
  showScreen(login, {
    url: '/auth/login?logout=done',
    session: GUEST,
    answers: {
      'GET /api/auth/options': {
        registration: true,
        verification: false,
        setup_valid: false,
        empty: false,
        providers: [],
      },
    },
  });
  expect(await screen.findByText('You’re logged out. Your servers keep running.')).toBeTruthy();
});

test('logging out is a form without scripts and happens by itself with them', async () => {
  const html = serverHtml(logout, { url: '/auth/logout' }, null);
  expect(html).toContain('method="post"');
  expect(html).toContain('mirela.v');
  const { calls } = showScreen(logout, { url: '/auth/logout', answers: { 'POST /api/auth/logout': {} } });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/login?logout=done');
  expect(calls('POST /api/auth/logout')).toHaveLength(1);
});

test('a logout that fails says so and can be tried again', async () => {
  showScreen(logout, { url: '/auth/logout', answers: { 'POST /api/auth/logout': refuse('SERVER_UNAVAILABLE') } });
  expect(await screen.findByText(errors.SERVER_UNAVAILABLE)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Log out' })).toBeTruthy();
});

test('guests are logged out already', async () => {
  showScreen(logout, { url: '/auth/logout', session: GUEST });
  expect(await screen.findByRole('heading', { name: 'You’re logged out' })).toBeTruthy();
});
