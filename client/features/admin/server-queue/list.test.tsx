import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/server-queue');
const { cleanup, screen } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');

afterEach(cleanup);

const AT = '2026-11-21T18:00:00.000Z';
const entry = (id: string, more: object) => ({
  id,
  state: 'queued',
  vip: false,
  attempts: 0,
  last_error: null,
  waiting: null,
  owner: { id: 'u', username: 'radu', status: 'active' },
  server: { id: `s${id}`, name: `Server ${id}`, state: 'queued' },
  location: { id: 'l', name: 'Frankfurt' },
  panel: { id: 'p', name: 'Main' },
  created_at: AT,
  started_at: null,
  done_at: null,
  next_at: null,
  ...more,
});

test('P5 the list of the queue says why an entry failed, and what one waits for', async () => {
  const rows = [
    entry('1', { state: 'failed', last_error: 'panelKey' }),
    entry('2', { waiting: { cause: 'node', since: AT } }),
    entry('3', { state: 'failed', last_error: 'installFailed' }),
    entry('4', {}),
  ];
  const counts = { total: 4, queued: 2, building: 0, completed: 0, failed: 2, cancelled: 0 };
  showScreen(list, {
    url: '/mc-admin/server-queue',
    answers: { 'GET /api/admin/server-queue': { rows, paging: { page: 1, per_page: 20, total: 4 }, counts } },
    session: { permissions: ['admin.root'] },
  });
  expect(await screen.findByText('The panel rejects the key.')).toBeTruthy();
  expect(screen.getByText('Waiting: the panel can’t reach the node.')).toBeTruthy();
  expect(screen.getByText('The installation failed.')).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: 'Reason' })).toBeTruthy();
});
