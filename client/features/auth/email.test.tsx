import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/email');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { GUEST, refuse, showScreen } = await import('#tests/support/screens.tsx');
const email = await import('./email.tsx');

afterEach(cleanup);

test('opening the link changes nothing; the button does', async () => {
  const { calls } = showScreen(email, {
    url: '/auth/email?token=abc',
    session: GUEST,
    answers: { 'POST /api/auth/email/confirm': {} },
  });
  const button = await screen.findByRole('button', { name: 'Use this address' });
  expect(calls('POST /api/auth/email/confirm')).toEqual([]);
  fireEvent.click(button);
  expect(await screen.findByRole('heading', { name: 'Your address is changed' })).toBeTruthy();
  expect(calls('POST /api/auth/email/confirm')[0]?.body).toEqual({ token: 'abc' });
  expect(screen.getByRole('link', { name: 'Go to log in' })).toBeTruthy();
});

test('the link of the old address takes the account back, in words that say what that does', async () => {
  const { calls } = showScreen(email, {
    url: '/auth/email?undo=yes&token=abc',
    answers: { 'POST /api/auth/email/undo': {} },
  });
  expect(await screen.findByText(/Everybody is logged out/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Take my account back' }));
  expect(await screen.findByRole('heading', { name: 'Your account is yours again' })).toBeTruthy();
  expect(calls('POST /api/auth/email/undo')[0]?.body).toEqual({ token: 'abc' });
  expect(screen.getByRole('link', { name: 'Go to log in' })).toBeTruthy();
});

test('a link that does not work says so, and leads on', async () => {
  showScreen(email, {
    url: '/auth/email?token=old',
    answers: { 'POST /api/auth/email/confirm': refuse('EMAIL_LINK_INVALID') },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Use this address' }));
  expect(await screen.findByRole('heading', { name: 'This link no longer works' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to your account' }).getAttribute('href')).toBe('/account');
  cleanup();
  showScreen(email, { url: '/auth/email?undo=yes', session: GUEST });
  expect(await screen.findByText(/within three days/)).toBeTruthy();
});
