import { afterEach, expect, test } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/tickets/reports');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const reports = await import('./reports.tsx');
const { timeTicks } = await import('./report-charts.tsx');

afterEach(cleanup);

const TECHNICAL = '0190a000-0000-7000-8000-000000000070';
const figures = {
  opened: 3,
  answered: 2,
  resolved: 2,
  answer_ms: 12 * MINUTE,
  resolve_ms: 2 * HOUR,
  rated: 4,
  satisfied: 3,
};
const ANSWER = {
  days: ['2026-11-15', '2026-11-16', '2026-11-17'],
  opened: [1, 0, 2],
  resolved: [0, 1, 1],
  answer_ms: [8 * MINUTE, null, 12 * MINUTE],
  resolve_ms: [null, 26 * HOUR, 2 * HOUR],
  rated: [1, 0, 3],
  satisfied: [1, 0, 2],
  all: figures,
  departments: [{ id: TECHNICAL, name: 'Technical', ...figures }],
  staff: [{ id: '', name: null, ...figures }],
};
const show = (answer: object = ANSWER, query = '') =>
  showScreen(reports, {
    url: `/mc-admin/tickets/reports${query}`,
    session: { permissions: ['admin.tickets.list'] },
    answers: { 'GET /api/admin/tickets/reports': answer },
  });
const card = async (name: string) => {
  const found = (await screen.findByRole('heading', { name })).closest<HTMLElement>('.sp-card');
  if (!found) throw new Error(`no card ${name}`);
  return { text: () => found.textContent, step: within(found).getByRole('slider', { name: 'Day' }) };
};

test('each chart of a report says its newest day, and with keys or the pointer any other', async () => {
  show();
  const answers = await card('Time to first answer');
  expect(answers.text()).toContain('17 Nov 2026: 12 min');
  fireEvent.change(answers.step, { target: { value: '1' } });
  expect(answers.text()).toContain('16 Nov 2026: nothing');
  expect(answers.step.getAttribute('aria-valuetext')).toBe('16 Nov 2026: nothing');
  fireEvent.change(answers.step, { target: { value: '0' } });
  expect(answers.text()).toContain('15 Nov 2026: 8 min');
  const resolutions = await card('Time to resolve');
  fireEvent.change(resolutions.step, { target: { value: '1' } });
  expect(resolutions.text()).toContain('16 Nov 2026: 1 d 2 h');
  const ratings = await card('Satisfied');
  expect(ratings.text()).toMatch(/17 Nov 2026: 67\s% of 3 ratings/);
  expect(screen.getByRole('img', { name: /^Chart: 75\s% satisfied, 4 ratings$/ })).toBeDefined();
});

test('the name of a department leads to its own charts, and from there back to those of all', async () => {
  const { calls } = show();
  fireEvent.click(await screen.findByRole('link', { name: 'Technical' }));
  expect(await screen.findByText('Only Technical')).toBeDefined();
  fireEvent.click(screen.getByRole('link', { name: 'Show all' }));
  // The length alone: a page that is printed because of a try that came too early takes longer than the try.
  await waitFor(() => expect(screen.queryAllByText('Only Technical').length).toBe(0));
  expect(calls('GET /api/admin/tickets/reports').map(({ path }) => path.split('?')[1])).toEqual([
    'days=30',
    `days=30&department=${TECHNICAL}`,
    'days=30',
  ]);
  // Tickets of nobody have no charts of their own.
  expect(screen.queryByRole('link', { name: 'Nobody' })).toBeNull();
});

test('a report without tickets draws no chart', async () => {
  const none = { opened: 0, answered: 0, resolved: 0, answer_ms: null, resolve_ms: null, rated: 0, satisfied: 0 };
  show({ ...ANSWER, all: none, departments: [], staff: [] }, '?days=7&department=no');
  expect(await screen.findAllByText('No tickets in this period')).toHaveLength(3);
  expect(screen.queryByRole('slider')).toBeNull();
});

test('a day between days without a time is a dot, since no line goes through it', async () => {
  show();
  await card('Time to first answer');
  const dots = (name: string) =>
    within(screen.getByRole('img', { name: new RegExp(`^Chart: ${name}`) }))
      .getByText('17 Nov')
      .closest('svg')
      ?.querySelectorAll('circle').length;
  expect([dots('Time to first answer'), dots('Time to resolve')]).toEqual([2, 0]);
});

test('the scale of times ends at or above the longest, in steps of one unit', () => {
  expect(timeTicks(0)).toEqual([0, 5, 10, 15, 20].map((each) => each * MINUTE));
  expect(timeTicks(20 * MINUTE + 1).at(-1)).toBe(HOUR);
  expect(timeTicks(49 * HOUR)).toEqual([0, 24, 48, 72, 96].map((each) => each * HOUR));
  expect(timeTicks(1000 * HOUR).at(-1)).toBe(4 * 16 * 24 * HOUR);
});
