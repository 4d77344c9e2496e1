import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, screen, within } = await import('@testing-library/react');
const { NOW, showScreen } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ACCOUNT = { username: 'mirela.v', email: 'mirela@example.org', locale: 'en' };
const ROWS = [
  { id: 'a', at: NOW, action: 'account.login', own: true, address: '192.0.2.7', device: 'Firefox · Android' },
  { id: 'b', at: NOW, action: 'users.ban', own: false, address: null, device: null },
  { id: 'c', at: NOW, action: 'account.made_up', own: true, address: '192.0.2.7', device: null },
];
const MAILS = [
  {
    id: 'a',
    at: NOW,
    address: ACCOUNT.email,
    state: 'sent',
    subject: 'Set a new password',
    text: 'Hi Mirela,\n\nopen',
  },
  { id: 'b', at: NOW, address: ACCOUNT.email, state: 'kept', subject: null, text: null },
];

test('activity: each line says what was done, with what and from where, and what staff did is marked', async () => {
  showScreen(account, {
    url: '/account?tab=activity',
    answers: { 'GET /api/account': ACCOUNT, 'GET /api/account/activity': { rows: ROWS, older: '5.c' } },
  });
  const [login, ban, other] = within(await screen.findByRole('list', { name: 'Activity' })).getAllByRole('listitem');
  expect(login?.textContent).toContain('Logged in');
  expect(login?.textContent).toContain('Firefox on Android · 192.0.2.7');
  expect(ban?.textContent).toContain('by the host');
  expect(other?.textContent).toContain('Change to your account');
  expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toBe('/account?tab=activity&before=5.c');
});

test('activity: a place that is none shows the newest', async () => {
  const { calls } = showScreen(account, {
    url: '/account?tab=activity&before=nonsense',
    answers: { 'GET /api/account': ACCOUNT, 'GET /api/account/activity': { rows: [], older: null } },
  });
  expect(await screen.findByText('Nothing has happened yet')).toBeTruthy();
  expect(calls('GET /api/account/activity')).toHaveLength(1);
});

test('mails: they open without scripts, and a code is only said to be one', async () => {
  const answers = {
    'GET /api/account': ACCOUNT,
    'GET /api/account/mails': { rows: MAILS, older: null },
    'GET /api/account/mail-kinds': { kinds: ['news'] },
  };
  showScreen(account, { url: '/account?tab=mails&before=5.c', answers });
  expect(await screen.findByText('Set a new password')).toBeTruthy();
  expect(screen.getByText(/^Hi Mirela,/).closest('details')).toBeTruthy();
  expect(screen.getByText('This e-mail has a code. It’s only shown in your mailbox.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Newest' }).getAttribute('href')).toBe('/account?tab=mails');
});
