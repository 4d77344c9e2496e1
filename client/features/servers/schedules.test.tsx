import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import ui from '#locales/en/ui.json';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import { SCHEDULE_OUTCOMES } from '#shared/schemas/server-schedules.ts';
import { ID, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const { ServerSchedules } = await import('./schedules.tsx');
// This DOM has no popovers: what is chosen from one is chosen all the same.
HTMLElement.prototype.hidePopover = () => undefined;
afterEach(cleanup);

const AT = `/api/servers/${ID(1)}/schedules`;
const words = live.schedules;
const schedule = (more: Partial<ServerSchedule>): ServerSchedule => ({
  id: ID(7),
  name: 'Nightly',
  enabled: true,
  only_online: false,
  timing: { every: 'day', time: '04:00' },
  time_zone: 'UTC',
  steps: [{ action: 'restart', command: '', pause_s: 0 }],
  next_at: '2026-11-22T02:00:00.000Z',
  running: false,
  last: null,
  ...more,
});

/** Shows the schedules; each list is answered by the next, and what is saved is kept. */
async function show(lists: ServerSchedule[][], answer: (call: string) => object | null = () => null) {
  const asked: string[] = [];
  const saved: unknown[] = [];
  const answers = new Proxy(
    {},
    {
      get: (_, name) => (request: { body?: unknown }) => {
        const call = String(name).replace(AT, '').replaceAll(ID(7), 'ONE');
        asked.push(call.replace(/[0-9a-f-]{36}$/, 'NEW').trim());
        if (request?.body) saved.push(request.body);
        if (call.trim() === 'GET') return { schedules: (lists.length > 1 ? lists.shift() : lists[0]) ?? [], limit: 10 };
        return answer(call) ?? {};
      },
    },
  );
  showScreen({ default: () => <ServerSchedules server={server()} /> }, { url: '/server/1', inBrowser: true, answers });
  await waitFor(() => expect(asked).toContain('GET'));
  return { asked, saved };
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const choose = async (name: string) => fireEvent.click(await screen.findByRole('menuitem', { name, hidden: true }));
const set = (label: string | RegExp, value: string) =>
  fireEvent.change(within(screen.getByRole('dialog')).getByLabelText(label), { target: { value } });
const save = () => fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: words.save }));

test('a server without schedules says what they are for', async () => {
  await show([[]]);
  expect(await screen.findByText(words.noneText)).toBeTruthy();
});

test('every kind of timing, step and outcome is said in words, and another time zone is named', async () => {
  const kinds: [Partial<ServerSchedule>, string][] = [
    [{ timing: { every: 'minutes', minutes: 15 } }, 'Every 15 minutes'],
    [{ timing: { every: 'hours', hours: 1, minute: 5 } }, 'Every hour, from 00:05'],
    [{ timing: { every: 'hours', hours: 6, minute: 0 } }, 'Every 6 hours, from 00:00'],
    [{ timing: { every: 'week', days: [4, 1], time: '05:30' } }, 'Every Monday and Thursday at 05:30'],
    [{ timing: { every: 'week', days: [1, 2, 3, 4, 5, 6, 7], time: '05:30' } }, 'Every day at 05:30'],
    [{ timing: { every: 'month', day: 31, time: '05:30' } }, 'On the last day of every month at 05:30'],
    [{ timing: { every: 'month', day: 3, time: '05:30' } }, 'On day 3 of every month at 05:30'],
    [{ time_zone: 'Asia/Tokyo', only_online: true }, 'Every day at 04:00 (Asia/Tokyo), only while it’s running'],
  ];
  for (const [more, text] of kinds) {
    await show([[schedule(more)]]);
    expect(await screen.findByText(text)).toBeTruthy();
    cleanup();
  }
  const steps = [
    { action: 'command', command: 'say hi', pause_s: 0 },
    { action: 'backup', command: '', pause_s: 90 },
  ] as const;
  for (const outcome of SCHEDULE_OUTCOMES) {
    const last = { at: '2026-11-21T02:00:00.000Z', outcome, step: 2 };
    await show([[schedule({ steps: [...steps], last, next_at: null, enabled: false })]]);
    expect(await screen.findByText('Send “say hi”')).toBeTruthy();
    expect(screen.getByText('Back up after 1 min 30 s')).toBeTruthy();
    const expected = words.outcome[outcome].replace('{{step}}', '2');
    expect(screen.getByRole('status').textContent).toMatch(new RegExp(`^Off · Last run .*: ${expected}$`));
    cleanup();
  }
});

test('a new schedule is filled in, what is wrong stands at its field, and it is saved as it was chosen', async () => {
  const lists = [[], [schedule({})]];
  const { asked, saved } = await show(lists);
  await press(words.add);
  save();
  expect(await screen.findByText(errors.field.REQUIRED)).toBeTruthy();
  expect(saved).toEqual([]);
  set(words.name, 'Weekly');
  set(words.repeats, 'week');
  fireEvent.click(screen.getByLabelText('Mon'));
  save();
  expect(await screen.findByText(errors.field.REQUIRED)).toBeTruthy();
  fireEvent.click(screen.getByLabelText('Tue'));
  set(words.time, '05:30');
  set('Step 1', 'command');
  set(/^Command/, 'say hi');
  await press(words.addStep);
  set('Step 2', 'backup');
  set(words.pause, '300');
  await press(words.addStep);
  fireEvent.click(screen.getByRole('button', { name: 'Remove step 3' }));
  save();
  await waitFor(() => expect(screen.queryAllByRole('dialog').length).toBe(0));
  expect(saved).toEqual([
    {
      name: 'Weekly',
      enabled: true,
      only_online: false,
      timing: { every: 'week', days: [2], time: '05:30' },
      steps: [
        { action: 'command', command: 'say hi', pause_s: 0 },
        { action: 'backup', command: '', pause_s: 300 },
      ],
    },
  ]);
  expect(asked).toEqual(['GET', 'PUT /NEW', 'GET']);
});

test('a schedule is changed with what it was, and a refusal is said in the form', async () => {
  const timing = { every: 'hours', hours: 6, minute: 15 } as const;
  const { saved } = await show([[schedule({ timing, only_online: true })]], (call) =>
    call.startsWith('PUT') ? refuse('SCHEDULE_LIMIT') : null,
  );
  await choose(words.edit);
  set(words.minute, '');
  save();
  await waitFor(() => expect(within(screen.getByRole('dialog')).getByText(errors.field.NOT_WHOLE)).toBeTruthy());
  set(words.minute, '20');
  save();
  expect(await screen.findByText(errors.SCHEDULE_LIMIT)).toBeTruthy();
  expect(saved).toMatchObject([{ name: 'Nightly', only_online: true, timing: { ...timing, minute: 20 } }]);
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: ui.cancel }));
  await waitFor(() => expect(screen.queryAllByRole('dialog').length).toBe(0));
});

test('a schedule is turned off, run by hand and followed until it is over, and never deleted unasked', async () => {
  const over = schedule({ last: { at: '2026-11-21T02:00:00.000Z', outcome: 'done', step: null } });
  const { asked, saved } = await show([[over], [over], [schedule({ running: true })], [over]]);
  fireEvent.click(await screen.findByRole('switch', { name: 'Run Nightly automatically' }));
  await waitFor(() => expect(saved).toMatchObject([{ enabled: false, name: 'Nightly' }]));
  await choose(words.run);
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain(words.running));
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Next run'));
  await choose(words.delete);
  const dialog = await screen.findByRole('alertdialog');
  fireEvent.click(within(dialog).getByRole('button', { name: ui.cancel }));
  await waitFor(() => expect(dialog.isConnected).toBe(false));
  expect(asked.filter((call) => call.startsWith('DELETE'))).toEqual([]);
  await choose(words.delete);
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: words.delete }));
  await waitFor(() => expect(asked).toContain('DELETE /ONE'));
});
