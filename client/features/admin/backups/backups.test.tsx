import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/backups');
const { cleanup, screen, within } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const backups = await import('./screen.tsx');

afterEach(cleanup);

const AT = '2026-11-21T18:00:00.000Z';
const ID = 'spawnpoint-20261121T180000Z-manual-00000001';
const OTHER = 'spawnpoint-20261121T180000Z-uploaded-00000002';
const backup = (id: string, kind: string) => ({
  id,
  kind,
  made_at: AT,
  bytes: 18_000,
  here: true,
  remote: false,
  lock: 'key',
  users: null,
  servers: null,
  day: '2026-11-21',
  verified: null,
});
/** The page of the first of two backups, where the last task was one with `id`. */
const show = (id: string, { ask = '', comparison = NONE, lock = 'key' }: Asked = {}) =>
  showScreen(backups, {
    url: `/mc-admin/backups?backup=${ID}${ask}`,
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/backups': {
        backups: [{ ...backup(ID, 'manual'), lock }, backup(OTHER, 'uploaded')],
        running: null,
        last: { task: 'verify', id, at: AT, fault: null },
        remote: null,
        folder: '/data/backups',
        free_bytes: 1_000_000,
        plan: { daily: true, hour: 4, keep: 7, keep_remote: 7, time_zone: 'UTC' },
      },
      [`GET /api/admin/backups/${ID}/comparison`]: comparison,
    },
  });
const NONE = { backup: null, now: null };
const THEN = {
  made_at: AT,
  version: '1.4.0',
  dialect: 'sqlite',
  users: 1270,
  servers: 308,
  credits: 50_000,
  files: 12,
  file_bytes: 4096,
};
const NOW = {
  ...THEN,
  made_at: '2026-11-24T22:00:00.000Z',
  version: '1.5.0',
  users: 1282,
  servers: 307,
  credits: 51_000,
};
interface Asked {
  ask?: string;
  comparison?: object;
  lock?: string;
}

test('the page of a backup says how the last task with it ended', async () => {
  show(ID);
  expect(await screen.findByText('The backup opens, and its ledger adds up.')).toBeDefined();
});

test('the page of a backup says nothing of what was found in another one', async () => {
  show(OTHER);
  expect(await screen.findByRole('heading', { level: 1 })).toBeDefined();
  expect(screen.queryByText('The backup opens, and its ledger adds up.')).toBeNull();
});

test('before a restore its owner reads how much time and how many users are lost, and both installations side by side', async () => {
  show(ID, { ask: '&ask=restore', comparison: { backup: THEN, now: NOW } });
  expect(await screen.findByText('You lose 3 d 4 h and 12 users.')).toBeDefined();
  const cellsOf = (name: string) =>
    within(screen.getByRole('row', { name: new RegExp(`^${name}`) }))
      .getAllByRole('cell')
      .map(({ textContent }) => textContent);
  expect(cellsOf('Users')).toEqual(['1,270', '1,282', '−12']);
  expect(cellsOf('Servers')).toEqual(['308', '307', '+1']);
  expect(cellsOf('Credits in circulation')).toEqual(['50,000', '51,000', '−1,000']);
  expect(cellsOf('Version')).toEqual(['1.4.0', '1.5.0', '–']);
  expect(cellsOf('Files')).toEqual(['12 (4 KB)', '12 (4 KB)', '–']);
  expect(screen.getByRole('link', { name: 'Continue' })).toBeDefined();
});

test('a backup that nobody looked into is verified before the restore goes on', async () => {
  show(ID, { ask: '&ask=restore' });
  expect(await screen.findByText(/^Nobody has looked into this backup yet/)).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Continue' })).toBeNull();
});

test('a backup that opens by a passphrase asks for it, and for nothing else', async () => {
  show(ID, { lock: 'passphrase' });
  expect(await screen.findByLabelText(/^Passphrase/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Verify with this passphrase' })).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull();
});
