import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { NO_PASSKEYS, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ACCOUNT = {
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  locale: 'en',
  has_password: true,
  verified: true,
  confirmation: 'confirmed',
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-08-12T10:00:00.000Z',
  skin: null,
};
const NONE = { email: ACCOUNT.email, pending: null, sends_mail: true };
const PENDING = { ...NONE, pending: { email: 'new@example.org', expires_at: '2026-11-21T10:00:00.000Z' } };
const show = (email: object | (() => object), more: object = {}) =>
  showScreen(account, {
    url: '/account',
    answers: {
      'GET /api/account': ACCOUNT,
      'GET /api/account/support-pin': { support_pin: null },
      'GET /api/account/email': email,
      'GET /api/account/passkeys': NO_PASSKEYS,
      ...more,
    },
  });

test('address: another one is asked for with the password, and waits for its link', async () => {
  let pending = false;
  const { calls } = show(() => (pending ? PENDING : NONE), {
    'POST /api/account/email': () => ((pending = true), {}),
  });
  type(await screen.findByLabelText('New address'), 'new@example.org');
  type(screen.getByLabelText('Your password'), 'correct horse battery');
  fireEvent.click(screen.getByRole('button', { name: 'Send confirmation link' }));
  expect(await screen.findByText(/We’ve sent a link to new@example.org/)).toBeTruthy();
  expect(calls('POST /api/account/email')[0]?.body).toEqual({
    email: 'new@example.org',
    password: 'correct horse battery',
  });
});

test('address: a wrong password stands at its field', async () => {
  show(NONE, { 'POST /api/account/email': refuse('VALIDATION_FAILED', { password: ['PASSWORD_WRONG'] }) });
  type(await screen.findByLabelText('New address'), 'new@example.org');
  type(screen.getByLabelText('Your password'), 'wrong');
  fireEvent.click(screen.getByRole('button', { name: 'Send confirmation link' }));
  expect(await screen.findByText('Please fix 1 field')).toBeTruthy();
  expect(screen.getByLabelText('Your password').getAttribute('aria-invalid')).toBe('true');
});

test('address: a change that waits is cancelled, and a host without mail says who has the link', async () => {
  let pending = true;
  const { calls } = show(() => (pending ? { ...PENDING, sends_mail: false } : NONE), {
    'DELETE /api/account/email': () => ((pending = false), {}),
  });
  expect(await screen.findByText(/ask the owner for it/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel the change' }));
  expect(await screen.findByText('Your address stays as it is.')).toBeTruthy();
  expect(calls('DELETE /api/account/email')).toHaveLength(1);
});

test('address: a user without a password is asked for none, and reads that the log-in is too old', async () => {
  const { calls } = show(NONE, {
    'GET /api/account': { ...ACCOUNT, has_password: false },
    'POST /api/account/email': refuse('VALIDATION_FAILED', { password: ['SIGN_IN_AGAIN'] }),
  });
  type(await screen.findByLabelText('New address'), 'new@example.org');
  expect(screen.queryByLabelText('Your password')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Send confirmation link' }));
  expect(await screen.findByText(/sign in again/)).toBeTruthy();
  expect(calls('POST /api/account/email')[0]?.body).toEqual({ email: 'new@example.org' });
});

const PHONE = { id: 'p1', name: 'Phone', synced: false, copied: false, created_at: ACCOUNT.created_at, used_at: null };
const WITH_PASSKEY = { ...NO_PASSKEYS, domain: 'panel.example', passkeys: [PHONE] };

test('T31 a passkey is offered in the place of the password, and a confirmed visitor is asked for neither', async () => {
  show(NONE, { 'GET /api/account/passkeys': WITH_PASSKEY });
  expect(await screen.findByLabelText('Your password')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Use a passkey', hidden: true })).toBeTruthy();
  cleanup();
  const { calls } = show(NONE, {
    'GET /api/account/passkeys': { ...WITH_PASSKEY, confirmed: true },
    'POST /api/account/email': {},
  });
  type(await screen.findByLabelText('New address'), 'new@example.org');
  expect(screen.queryByLabelText('Your password')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Use a passkey', hidden: true })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Send confirmation link' }));
  await waitFor(() =>
    expect(calls('POST /api/account/email').map(({ body }) => body)).toEqual([{ email: 'new@example.org' }]),
  );
});
