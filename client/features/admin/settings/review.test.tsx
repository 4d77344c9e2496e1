import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/settings');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const settings = await import('./screen.tsx');

afterEach(cleanup);
setDefaultTimeout(300_000);

const row = (key: string, value: string | number | boolean) => ({
  key,
  value,
  is_set: false,
  is_unreadable: false,
  revision: 0,
  changed_at: null,
  overridden_by: null,
});

test('behaviour 8.4: the review says whom each change affects, in figures, and where it is nobody', async () => {
  const rows = [
    row('force_2fa', 'nobody'),
    row('afk_enabled', true),
    row('afk_daily_cap', 480),
    row('currency', 'EUR'),
  ];
  const differences = [
    {
      key: 'force_2fa',
      before: 'nobody',
      after: 'all',
      affected: { who: 'usersWithoutFactor', count: 1000, more: true },
    },
    { key: 'afk_enabled', before: true, after: false, affected: { who: 'afkSessions', count: 0, more: false } },
    { key: 'afk_daily_cap', before: 480, after: 100, affected: { who: 'usersAtCap', count: 1, more: false } },
    { key: 'app_name', before: 'Spawnpoint', after: 'Lantern', affected: null },
  ];
  showScreen(settings, {
    url: '/mc-admin/settings?group=earning',
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/settings': { rows, environment: [] },
      'POST /api/admin/settings/review': { differences },
    },
  });
  fireEvent.click(await screen.findByLabelText('AFK rewards'));
  fireEvent.click(screen.getByText('Review changes'));
  expect(await screen.findByText('1,000+ users have no second factor yet and have to set one up.')).toBeTruthy();
  expect(screen.getByText('Nobody is affected right now.')).toBeTruthy();
  expect(screen.getByText('1 user has already earned that much today.')).toBeTruthy();
  expect(document.querySelectorAll('.sp-set-changes__who')).toHaveLength(3);
});
