import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/ticket');
const { cleanup, screen } = await import('@testing-library/react');
const { NOW, showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');

afterEach(cleanup);

const ROW = {
  id: '0190a000-0000-7000-8000-000000000001',
  number: 1042,
  subject: 'Cannot join',
  priority: 'normal',
  status: 'open',
  department: 'Technical',
  server: null,
  created_at: NOW,
  updated_at: NOW,
  closed_at: null,
  unread: false,
  answer_ms: 40 * 60_000,
};

test('the open tickets are shown by themselves, with how long a first answer takes, and the next page is of them', async () => {
  const cursor = `1700000000000.${ROW.id}`;
  const { calls } = showScreen(list, {
    url: '/ticket?show=open',
    answers: { 'GET /api/tickets': { rows: [ROW], older: cursor, open: 1 } },
  });
  expect((await screen.findByText(/#1042 · Technical/)).textContent).toContain('Usually answers within 40 min');
  expect(calls('GET /api/tickets')[0]?.path).toBe('/api/tickets?show=open');
  expect(screen.getByRole('link', { name: 'Open' }).getAttribute('aria-current')).toBe('true');
  expect(screen.getByRole('link', { name: 'All' }).getAttribute('href')).toBe('/ticket');
  expect(screen.getByRole('link', { name: 'Closed' }).getAttribute('href')).toBe('/ticket?show=closed');
  expect(screen.getByRole('link', { name: /Older/ }).getAttribute('href')).toBe(`/ticket?show=open&before=${cursor}`);
});

test('where no ticket is closed that is said, and the others stay a click away', async () => {
  showScreen(list, {
    url: '/ticket?show=closed',
    answers: { 'GET /api/tickets': { rows: [], older: null, open: 1 } },
  });
  expect(await screen.findByRole('heading', { name: 'No closed tickets yet' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'All' }).getAttribute('href')).toBe('/ticket');
  expect(screen.getByRole('link', { name: 'New ticket' })).toBeTruthy();
});
