import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/health');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const health = await import('./screen.tsx');

afterEach(cleanup);

const AT = '2026-11-21T18:00:00.000Z';
const row = (key: string, status: string, code: string, facts: object = {}) => ({
  key,
  subject: null as string | null,
  code,
  status,
  facts,
  checked_at: AT,
  took_ms: 12,
  trend: [],
});
const count = (value: number) => ({ unit: 'count', value });
const FINE = [
  row('version', 'ok', 'ok', { version: { unit: 'text', value: '1.2.3' }, up: { unit: 'ms', value: 90_000 } }),
];
const job = { name: 'servers.expiry', last_at: AT, took_ms: 30, next_at: AT, recent: [true, false], error: null };
const show = (rows: readonly object[], more: object = {}) =>
  showScreen(health, {
    url: '/mc-admin/health',
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/health': {
        checked_at: AT,
        rows,
        day: { from: AT, stretch_ms: 1_800_000, statuses: [null, 'ok', 'critical'], causes: [[], [], ['queue']] },
        jobs: [job],
        proving: false,
        ...more,
      },
      'POST /api/admin/health/prove-ledger': { started: true },
      'POST /api/admin/health/check': refuse('RATE_LIMITED'),
    },
  });

test('what is not fine stands first, the worst on top, each with what to do about it', async () => {
  show([
    ...FINE,
    row('queue', 'warning', 'slow', { count: count(3), waits: { unit: 'ms', value: 700_000 } }),
    {
      ...row('panels', 'critical', 'key', { since: { unit: 'time', value: Date.parse(AT) }, count: count(2) }),
      subject: 'Main <b>',
    },
  ]);
  const list = await screen.findByRole('list', { name: 'Needs attention' });
  expect(
    within(list)
      .getAllByRole('heading')
      .map(({ textContent }) => textContent),
  ).toEqual(['Panel Main <b>', 'Queue']);
  // What a check means stands there as text: no pointer has to rest on it.
  expect(list.textContent).toContain('What waits to be done in the background.');
  expect(list.textContent).toContain('Servers waiting: 2.');
  expect(list.textContent).toContain('Create a new key in the panel and save it here.');
  expect(list.textContent).toContain('3 waiting, the first for 11 min 40 s.');
  expect(within(list).getByRole('link', { name: 'Open panels' }).getAttribute('href')).toBe('/mc-admin/panels');
  expect(screen.queryByText('Everything is fine')).toBeNull();
  expect(screen.getByText('Status by half hour: 1 of 3 with a problem')).toBeTruthy();
});

test('where all is fine the page says so, and every job has its name', async () => {
  show(FINE);
  expect(await screen.findByText('Everything is fine')).toBeTruthy();
  expect(screen.getByText('1.2.3, up for 1 min 30 s.')).toBeTruthy();
  expect(screen.getByText('Renew and suspend servers')).toBeTruthy();
  expect(screen.getByText('1 of 2 runs went well')).toBeTruthy();
});

test('a job that failed stands open with its reason, and what was given up leads to its lines of the log', async () => {
  const failed = { ...job, name: 'backups.daily', error: 'no space left' };
  show([row('jobs', 'warning', 'dead', { count: count(1) })], { jobs: [job, failed] });
  const [open] = await screen.findAllByRole('table');
  expect(open?.textContent).toContain('no space left');
  expect(open?.textContent).not.toContain('Renew and suspend servers');
  expect(screen.getByText('Show all 2 jobs', { selector: 'summary' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open the log' }).getAttribute('href')).toBe('/mc-admin/logs?q=jobs.dead');
});

test('a check that broke says why, and the ledger is proven once', async () => {
  show([
    row('mail', 'unknown', 'failed', { error: { unit: 'text', value: 'no such table' } }),
    row('ledger', 'ok', 'ok'),
  ]);
  expect(await screen.findByText('This couldn’t be checked: no such table')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Prove now' }));
  expect(await screen.findByText('The proof has started. Its result appears here.')).toBeTruthy();
  cleanup();
  show([row('ledger', 'ok', 'running', { at: { unit: 'time', value: 0 } })], { proving: true });
  expect(await screen.findByRole('button', { name: 'Prove now' })).toHaveProperty('disabled', true);
});

test('a refused check shows the refusal', async () => {
  show(FINE);
  fireEvent.click(await screen.findByRole('button', { name: 'Check now' }));
  expect((await screen.findByRole('alert')).textContent).not.toBe('');
});
