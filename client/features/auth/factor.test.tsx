import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/2fa/verify');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { GUEST, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const { stubPasskeys } = await import('#tests/support/passkey-browser.ts');
const factor = await import('./factor.tsx');

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const URL = '/auth/2fa/verify';
const WAITS = { 'GET /api/auth/2fa/waiting': { waiting: true, passkey_domain: null } };
const show = (answers: object) => showScreen(factor, { url: URL, session: GUEST, answers: { ...WAITS, ...answers } });

async function verify(code: string): Promise<void> {
  type(await screen.findByLabelText('Code'), code);
  fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
}

test('the page sends the code and goes where the visitor wanted to go, once', async () => {
  localStorage.setItem('redirectAfterLogin', '/store?from=mail');
  const { calls } = show({ 'POST /api/auth/2fa/verify': {} });
  await verify(' 123 456 ');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store?from=mail');
  expect(calls('POST /api/auth/2fa/verify').map((call) => call.body)).toEqual([{ code: '123 456' }]);
  expect(localStorage.getItem('redirectAfterLogin')).toBeNull();
});

test('the page goes to the dashboard without a wanted page', async () => {
  show({ 'POST /api/auth/2fa/verify': {} });
  await verify('K7Q2M-9XW4D');
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
});

test('a wrong code stands at its field, which has the focus afterwards or is a click away', async () => {
  show({ 'POST /api/auth/2fa/verify': refuse('VALIDATION_FAILED', { code: ['CODE_WRONG'] }) });
  await verify('000000');
  await waitFor(() => expect(screen.getByLabelText('Code').getAttribute('aria-invalid')).toBe('true'));
  expect((screen.getByLabelText('Code') as HTMLInputElement).value).toBe('000000');
});

test('the page says how long to wait after too many tries', async () => {
  show({ 'POST /api/auth/2fa/verify': refuse('RATE_LIMITED', {}, 900) });
  await verify('000000');
  expect(await screen.findByText(/15 min/)).toBeTruthy();
});

test('an empty code is named before anything is sent', async () => {
  const { calls } = show({});
  fireEvent.click(await screen.findByRole('button', { name: 'Verify' }));
  await waitFor(() => expect(screen.getByLabelText('Code').getAttribute('aria-invalid')).toBe('true'));
  expect(calls('POST /api/auth/2fa/verify')).toEqual([]);
});

test('the page leads to the login where no log-in waits', async () => {
  showScreen(factor, {
    url: URL,
    session: GUEST,
    answers: { 'GET /api/auth/2fa/waiting': { waiting: false, passkey_domain: null } },
  });
  expect((await screen.findByRole('link', { name: 'Go to log in' })).getAttribute('href')).toBe('/auth/login');
  expect(screen.queryByLabelText('Code')).toBeNull();
});

test('the page has a log-out that is sent, not a link, and works without scripts', () => {
  const html = serverHtml(factor, { url: URL, session: GUEST }, { waiting: true, passkey_domain: null });
  expect(html).toMatch(
    /<form[^>]*method="post"[^>]*action="\/auth\/logout"|<form[^>]*action="\/auth\/logout"[^>]*method="post"/,
  );
  expect(html).not.toContain('href="/auth/logout"');
  expect(html).toContain('autoComplete="one-time-code"');
});

test('T30 a passkey takes the place of the code, and a refusal of it is said', async () => {
  const browser = stubPasskeys();
  let right = false;
  const { calls } = showScreen(factor, {
    url: URL,
    session: GUEST,
    inBrowser: true,
    answers: {
      'GET /api/auth/2fa/waiting': { waiting: true, passkey_domain: 'panel.example' },
      'POST /api/auth/2fa/passkey/options': { options: browser.requestOptions },
      'POST /api/auth/2fa/passkey': () => (right ? {} : refuse('PASSKEY_REFUSED')),
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByText(/^This passkey couldn’t be verified\./)).toBeTruthy();
  right = true;
  fireEvent.click(screen.getByRole('button', { name: 'Use a passkey' }));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
  expect(calls('POST /api/auth/2fa/passkey')[1]?.body).toEqual(browser.proof);
  browser.restore();
});
