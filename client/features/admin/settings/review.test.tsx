import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/settings');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const settings = await import('./screen.tsx');
const history = await import('./history.tsx');

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
      'POST /api/admin/settings/review': { differences, reach: null },
    },
  });
  fireEvent.click(await screen.findByLabelText('AFK rewards'));
  fireEvent.click(screen.getByText('Review changes'));
  expect(await screen.findByText('1,000+ users have no second factor yet and have to set one up.')).toBeTruthy();
  expect(screen.getByText('Nobody is affected right now.')).toBeTruthy();
  expect(screen.getByText('1 user has already earned that much today.')).toBeTruthy();
  expect(document.querySelectorAll('.sp-set-changes__who')).toHaveLength(3);
});

test('a setting that is off at 0 names the least that is on beside it', async () => {
  showScreen(settings, {
    url: '/mc-admin/settings?group=advanced',
    session: { permissions: ['admin.root'] },
    answers: { 'GET /api/admin/settings': { rows: [row('ledger_archive_days', 400)], environment: [] } },
  });
  expect(await screen.findByText('0, or 90 days to 3,650 days, default 400 days')).toBeTruthy();
});

/** The lines that a difference shows, each with whether it came or went. */
const linesShown = () =>
  [...document.querySelectorAll('.sp-difference > li')].map((line) => [
    line.getAttribute('data-change'),
    line.lastChild?.textContent,
  ]);
const TERMS = ['# Terms', 'Be kind to everybody.', 'Renew in time, or the server goes.'].join('\n');
const NEW_TERMS = TERMS.replace('Be kind', 'Be fair');
const CHANGED = [
  ['removed', 'Be kind to everybody.'],
  ['added', 'Be fair to everybody.'],
];

test('behaviour 8.4: of a long text the review shows the lines that change, and of a list its entries', async () => {
  const hosts = Array.from({ length: 30 }, (_, index) => `mail${index}.example`);
  const differences = [
    { key: 'terms_of_service', before: TERMS, after: NEW_TERMS, affected: null },
    {
      key: 'abuse_disposable_domains',
      before: hosts.join('\n'),
      after: [...hosts, 'new.example'].join('\n'),
      affected: null,
    },
    { key: 'app_name', before: 'Spawnpoint', after: 'Lantern', affected: null },
  ];
  showScreen(settings, {
    url: '/mc-admin/settings?group=earning',
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/settings': { rows: [row('afk_enabled', true), row('currency', 'EUR')], environment: [] },
      'POST /api/admin/settings/review': { differences, reach: null },
    },
  });
  fireEvent.click(await screen.findByLabelText('AFK rewards'));
  fireEvent.click(screen.getByText('Review changes'));
  await screen.findByText('Be fair to everybody.');
  expect(linesShown()).toEqual([...CHANGED, ['added', 'new.example']]);
});

const HERE = { address: '203.0.113.7', origin: 'https://panel.example', blocked: false };
const ELSEWHERE = 'Open the new address first';
test.each([
  ['trusted_proxies', '10.0.0.1', HERE, 'Your own address would still be read as 203.0.113.7.'],
  [
    'trusted_proxies',
    '10.0.0.1',
    { ...HERE, address: '10.0.0.2' },
    'Your own address would be read as 10.0.0.2, not as 203.0.113.7.',
  ],
  [
    'trusted_proxies',
    '10.0.0.1',
    { ...HERE, origin: 'http://panel.example', blocked: true },
    'your own request would be read as http://panel.example, which is refused.',
  ],
  ['app_url', 'https://panel.example/', HERE, 'Your browser is at this address right now.'],
  ['app_url', 'https://lantern.example', HERE, ELSEWHERE],
] as const)(
  'behaviour 8.4: a review of %s as %s says what it means for the browser in front of it',
  async (key, value, after, text) => {
    showScreen(settings, {
      url: '/mc-admin/settings?group=earning',
      session: { permissions: ['admin.root'] },
      answers: {
        'GET /api/admin/settings': { rows: [row('afk_enabled', true), row('currency', 'EUR')], environment: [] },
        'POST /api/admin/settings/review': {
          differences: [{ key, before: '', after: value, affected: null }],
          reach: { now: HERE, after },
        },
      },
    });
    fireEvent.click(await screen.findByLabelText('AFK rewards'));
    fireEvent.click(screen.getByText('Review changes'));
    expect(await screen.findByText(text, { exact: false })).toBeTruthy();
    expect(screen.queryAllByText(ELSEWHERE, { exact: false })).toHaveLength(text === ELSEWHERE ? 1 : 0);
  },
);

test('behaviour 8.4: the history shows which lines of a long text come back before it is undone', async () => {
  const past = (value: string) => ({ value, chars: value.length });
  const entry = {
    id: '0193aaaa-0000-7000-8000-00000000aaaa',
    at: '2026-11-21T18:00:00.000Z',
    key: 'terms_of_service',
    actor: 'olga',
    can_undo: true,
  };
  showScreen(history, {
    url: `/mc-admin/settings/history?undo=${entry.id}`,
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/settings/history': { entries: [], older: null },
      [`GET /api/admin/settings/history/${entry.id}`]: {
        entry: { ...entry, before: past(NEW_TERMS), after: past(TERMS) },
        current: past(TERMS),
        revision: 3,
        affected: null,
      },
    },
  });
  await screen.findByText('Be fair to everybody.');
  expect(linesShown()).toEqual(CHANGED);
});

test('the time zone is picked from those that the browser knows', async () => {
  showScreen(settings, {
    url: '/mc-admin/settings?group=general',
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/settings': { rows: [row('app_timezone', 'UTC'), row('currency', 'EUR')], environment: [] },
    },
  });
  const field = () => screen.getByLabelText<HTMLInputElement>('Time zone');
  await waitFor(() => expect(field().readOnly).toBe(false));
  const zone = field();
  fireEvent.focus(zone);
  const zones = [...document.querySelectorAll(`datalist[id="${zone.getAttribute('list') ?? ''}"] option`)];
  expect(zones.map(({ textContent }) => textContent)).toContain('Europe/Bucharest');
});
