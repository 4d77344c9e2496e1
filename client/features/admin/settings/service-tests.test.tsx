import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/settings');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const settingsScreen = await import('./screen.tsx');

afterEach(cleanup);

const row = (key: string, value: string | number | boolean) => ({
  key,
  value,
  is_set: false,
  is_unreadable: false,
  revision: 0,
  changed_at: null,
  overridden_by: null,
});
const show = (group: string, answer: object, permissions = ['admin.root']) =>
  showScreen(settingsScreen, {
    url: `/mc-admin/settings?group=${group}`,
    answers: {
      'GET /api/admin/settings': {
        rows: [row('currency', 'EUR'), row('payment_open_orders', 5), row('default_ram', 1024)],
        environment: [],
      },
      'POST /api/admin/settings/test/stripe': answer,
    } as never,
    session: { permissions },
    inBrowser: true,
  });

test('a group of settings tries its services by a click, and shows what they said', async () => {
  const { calls } = show('payments', { outcome: 'refused', fact: 'invalid_request_error' });
  fireEvent.click(await screen.findByRole('button', { name: 'Test: Stripe' }));
  expect(await screen.findByText('Refused')).toBeTruthy();
  expect(screen.getByText('invalid_request_error')).toBeTruthy();
  expect(calls('POST /api/admin/settings/test/stripe').map(({ body }) => body ?? null)).toEqual([null]);
  expect(screen.queryByRole('button', { name: 'Test: Discord application' })).toBeNull();
});

test('a refused test is said in words', async () => {
  show('payments', refuse('RATE_LIMITED', {}, 30));
  fireEvent.click(await screen.findByRole('button', { name: 'Test: Stripe' }));
  expect(await screen.findByText(/too/i)).toBeTruthy();
});

test('T57 while something is not saved nothing is tried, since a test goes by what is stored', async () => {
  show('payments', { outcome: 'ok', fact: 'test' });
  await screen.findByRole('button', { name: 'Test: Stripe' });
  const field = screen.getByRole('spinbutton');
  fireEvent.input(field, { target: { value: '7' } });
  expect(await screen.findByText('Save first: a test goes by what is saved.')).toBeTruthy();
  expect((screen.getByRole('button', { name: 'Test: Stripe' }) as HTMLButtonElement).disabled).toBe(true);
});

test('panels are tested on their pages, and who only sees settings tries nothing', async () => {
  show('servers', {});
  expect((await screen.findByRole('link', { name: 'Go to panels' })).getAttribute('href')).toBe('/mc-admin/panels');
  cleanup();
  show('payments', {}, ['admin.settings.view']);
  expect(await screen.findByText('Payments', { selector: 'h2' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Test: Stripe' })).toBeNull();
});
