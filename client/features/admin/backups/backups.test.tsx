import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/backups');
const { cleanup, screen } = await import('@testing-library/react');
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
  users: null,
  servers: null,
  day: '2026-11-21',
  verified: null,
});
/** The page of the first of two backups, where the last task was one with `id`. */
const show = (id: string) =>
  showScreen(backups, {
    url: `/mc-admin/backups?backup=${ID}`,
    session: { permissions: ['admin.root'] },
    answers: {
      'GET /api/admin/backups': {
        backups: [backup(ID, 'manual'), backup(OTHER, 'uploaded')],
        running: null,
        last: { task: 'verify', id, at: AT, fault: null },
        remote: null,
        folder: '/data/backups',
        free_bytes: 1_000_000,
        plan: { daily: true, hour: 4, keep: 7, keep_remote: 7, time_zone: 'UTC' },
      },
    },
  });

test('the page of a backup says how the last task with it ended', async () => {
  show(ID);
  expect(await screen.findByText('The backup opens, and its ledger adds up.')).toBeDefined();
});

test('the page of a backup says nothing of what was found in another one', async () => {
  show(OTHER);
  expect(await screen.findByRole('heading', { level: 1 })).toBeDefined();
  expect(screen.queryByText('The backup opens, and its ledger adds up.')).toBeNull();
});
