import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import { HOUR } from '#shared/time.ts';
import { ID, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const { UsageCard } = await import('./usage-card.tsx');
afterEach(cleanup);

const PATH = `GET /api/servers/${ID(1)}/usage/history`;
const GB = 1024 ** 3;
const START = Date.parse('2026-11-20T10:00:00.000Z');
const figures = (memory: number) => ({ memory, cpu: memory / GB, disk: 3 * GB, received: 2048, sent: 0 });
const hour = (at: number, average: number, highest: number) => ({
  at: new Date(START + at * HOUR).toISOString(),
  average: figures(average),
  highest: figures(highest),
});
const page = { default: () => <UsageCard server={server()} /> };
const show = (answer: object) => showScreen(page, { url: '/server/1', inBrowser: true, answers: { [PATH]: answer } });
const read = () => document.querySelector('.sp-chart__read')?.textContent ?? '';

test('a server that was never measured says when figures come', async () => {
  show({ days: 30, hours: [] });
  expect(await screen.findByText(live.history.none)).toBeTruthy();
  expect(screen.queryByRole('slider')).toBeNull();
});

test('the hours are stepped through with the keyboard, in the zone of the page, and gaps are said', async () => {
  show({ days: 30, hours: [hour(0, GB, 1.5 * GB), hour(2, 2 * GB, 3 * GB)] });
  const step = await screen.findByRole('slider', { name: live.history.step });
  expect(screen.getByRole('heading', { name: 'Usage in the last 30 days' })).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Memory by hour, 3 GB at most' })).toBeTruthy();
  fireEvent.focus(step);
  const texts = [0, 1, 2].map((value) => {
    fireEvent.change(step, { target: { value: String(value) } });
    expect(step.getAttribute('aria-valuetext')).toBe(read());
    return read();
  });
  expect(texts).toEqual([
    '20 Nov 2026, 10:00: 1 GB on average, 1.5 GB at most',
    '20 Nov 2026, 11:00: not running',
    '20 Nov 2026, 12:00: 2 GB on average, 3 GB at most',
  ]);
  // The line is broken where the server did not run.
  const line = document.querySelector('.sp-chart__line:not([data-high])')?.getAttribute('d') ?? '';
  expect(line.match(/M/g)).toHaveLength(2);
});

test('each kind has its own unit, and a table by day', async () => {
  show({ days: 7, hours: [hour(0, GB, 50 * GB), hour(1, GB, 2 * GB), hour(31, GB, GB)] });
  await screen.findByRole('slider');
  fireEvent.click(screen.getByRole('radio', { name: 'CPU' }));
  expect(read()).toContain('1 % on average');
  fireEvent.click(screen.getByRole('radio', { name: live.history.received }));
  expect(read()).toContain('2 KB/s on average');
  const rows = within(screen.getByRole('table', { name: 'Network in by day', hidden: true })).getAllByRole('row', {
    hidden: true,
  });
  expect(rows.map((row) => row.textContent)).toEqual([
    'DayHours runningAverageHighest',
    '21 Nov 202612 KB/s2 KB/s',
    '20 Nov 202622 KB/s2 KB/s',
  ]);
});

test('a refusal is said in words', async () => {
  show(refuse('FORBIDDEN'));
  expect(await screen.findByText(errors.FORBIDDEN)).toBeTruthy();
});

test('without scripts the card says what it needs', () => {
  const html = serverHtml(page, { url: '/server/1' }, {});
  expect(html).toContain(live.history.noScripts);
  expect(html).not.toContain('style=');
});
