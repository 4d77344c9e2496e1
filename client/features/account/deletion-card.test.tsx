import { afterEach, expect, test } from 'bun:test';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { NO_PASSKEYS, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const NONE = { due_at: null, servers: ['Lanternwood', 'Brickfall'], credits: 250, last_owner: false };
const show = (deletion: object | (() => object), more: object = {}) =>
  showScreen(account, {
    url: '/account?tab=privacy',
    answers: {
      'GET /api/account': { username: 'm', email: 'm@x.y', has_password: true },
      'GET /api/account/privacy': {
        ...DEFAULT_PRIVACY,
        role: { name: 'Member', color: '#888888' },
        supporter: false,
      },
      'GET /api/account/deletion': deletion,
      'GET /api/account/passkeys': NO_PASSKEYS,
      'GET /api/account/export': { export: null },
      ...more,
    },
  });

test('deletion: what goes with the account is shown, and it is asked for with the password and kept again', async () => {
  let due: string | null = null;
  const { calls } = show(() => ({ ...NONE, due_at: due }), {
    'POST /api/account/deletion': () => ({ due_at: (due = '2026-11-28T10:00:00.000Z') }),
    'DELETE /api/account/deletion': () => ((due = null), {}),
  });
  expect(await screen.findByText('Lanternwood, Brickfall')).toBeTruthy();
  type(screen.getByLabelText('Your password'), 'correct horse battery');
  fireEvent.click(screen.getByRole('button', { name: 'Delete my account' }));
  expect(await screen.findByText(/^Your account will be deleted on/)).toBeTruthy();
  expect(calls('POST /api/account/deletion')[0]?.body).toEqual({ password: 'correct horse battery' });
  fireEvent.click(screen.getByRole('button', { name: 'Keep my account' }));
  expect(await screen.findByText('Your account stays.')).toBeTruthy();
});

test('deletion: a wrong password stands at its field', async () => {
  show(NONE, { 'POST /api/account/deletion': refuse('VALIDATION_FAILED', { password: ['PASSWORD_WRONG'] }) });
  type(await screen.findByLabelText('Your password'), 'wrong');
  fireEvent.click(screen.getByRole('button', { name: 'Delete my account' }));
  expect(await screen.findByText('Please fix 1 field')).toBeTruthy();
  expect(screen.getByLabelText('Your password').getAttribute('aria-invalid')).toBe('true');
});

test('deletion: the last owner reads why there is no button', async () => {
  show({ ...NONE, last_owner: true });
  expect(await screen.findByText(/You’re the only owner/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Delete my account' })).toBeNull();
});

test('deletion: a user without a password is asked for none, and reads that the log-in is too old', async () => {
  const { calls } = show(NONE, {
    'GET /api/account': { username: 'm', email: 'm@x.y', has_password: false },
    'POST /api/account/deletion': refuse('VALIDATION_FAILED', { password: ['SIGN_IN_AGAIN'] }),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Delete my account' }));
  expect(await screen.findByText(/sign in again/)).toBeTruthy();
  expect(screen.queryByLabelText('Your password')).toBeNull();
  expect(calls('POST /api/account/deletion')[0]?.body).toEqual({});
});
