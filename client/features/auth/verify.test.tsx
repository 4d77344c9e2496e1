import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

installDom('https://panel.example/auth/verify');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { GUEST, MIRELA, refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const verify = await import('./verify.tsx');
const logout = await import('./logout.tsx');

afterEach(cleanup);

const UNVERIFIED = { user: { ...MIRELA, verified: false } };

test('opening the link confirms nothing; the button does', async () => {
  const { calls } = showScreen(verify, { url: '/auth/verify?token=abc', session: GUEST, answers: { 'POST /api/auth/verify': {} } });
  const button = await screen.findByRole('button', { name: 'Confirm the address' });
  expect(calls('POST /api/auth/verify')).toEqual([]);
  fireEvent.click(button);
  expect(await screen.findByRole('heading', { name: 'Your address is confirmed' })).toBeTruthy();
  expect(calls('POST /api/auth/verify')[0]?.body).toEqual({ token: 'abc' });
  expect(screen.getByRole('link', { name: 'To the login' }).getAttribute('href')).toBe('/auth/login');
});

test('a link that does not work leads guests to the login and others to a new letter', async () => {
  const answers = { 'POST /api/auth/verify': refuse('VERIFY_LINK_INVALID'), 'POST /api/auth/verify/resend': {} };
  showScreen(verify, { url: '/auth/verify?token=old', session: GUEST, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Confirm the address' }));
  expect(await screen.findByRole('heading', { name: 'This link does not work any more' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'To the login' })).toBeTruthy();
  cleanup();
  showScreen(verify, { url: '/auth/verify?token=old', session: UNVERIFIED, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Confirm the address' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Send the letter again' }));
  expect(await screen.findByText('A new letter is on its way to mirela@example.org.')).toBeTruthy();
});

test('asking too soon is refused in words', async () => {
  const answers = { 'POST /api/auth/verify/resend': refuse('RESEND_TOO_SOON', {}, 40) };
  showScreen(verify, { url: '/auth/verify', session: UNVERIFIED, answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Send the letter again' }));
  expect(await screen.findByText(`${errors.RESEND_TOO_SOON} (40 s)`)).toBeTruthy();
});

test('who is confirmed is told so', async () => {
  showScreen(verify, { url: '/auth/verify' });
  expect(await screen.findByRole('heading', { name: 'Your address is confirmed' })).toBeTruthy();
});

test('logging out is a form without scripts and happens by itself with them', async () => {
  const html = serverHtml(logout, { url: '/auth/logout' }, null);
  expect(html).toContain('method="post"');
  expect(html).toContain('mirela.v');
  const { calls } = showScreen(logout, { url: '/auth/logout', answers: { 'POST /api/auth/logout': {} } });
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/auth/login');
  expect(calls('POST /api/auth/logout')).toHaveLength(1);
});

test('a logout that fails says so and can be tried again', async () => {
  showScreen(logout, { url: '/auth/logout', answers: { 'POST /api/auth/logout': refuse('SERVER_UNAVAILABLE') } });
  expect(await screen.findByText(errors.SERVER_UNAVAILABLE)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Log out' })).toBeTruthy();
});

test('guests are logged out already', async () => {
  showScreen(logout, { url: '/auth/logout', session: GUEST });
  expect(await screen.findByRole('heading', { name: 'You are logged out' })).toBeTruthy();
});
