import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { LoaderFunctionArgs } from 'react-router';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import { ID, renewal, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { act, cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const view = await import('./view.tsx');

/** A stream of events as the browser has it, which says what the test tells it. */
class Stream extends EventTarget {
  static all: Stream[] = [];
  readonly url: string;
  closed = false;
  constructor(url: string) {
    super();
    this.url = url;
    Stream.all.push(this);
  }
  say(name: string, data: object = {}): void {
    act(() => void this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) })));
  }
  close(): void {
    this.closed = true;
  }
}
const real = globalThis.EventSource;
beforeEach(() => {
  Stream.all = [];
  Object.assign(globalThis, { EventSource: Stream });
});
afterEach(() => {
  cleanup();
  Object.assign(globalThis, { EventSource: real });
});

const PATH = `/api/servers/${ID(1)}`;
const page = {
  default: view.default,
  loader: (args: LoaderFunctionArgs) => view.loader({ ...args, params: { id: ID(1) } }),
};
const DATA = {
  server: server(),
  meters: {},
  renew: renewal(),
  panel: 'node',
  activity: [],
  links: null,
  ports: [],
  variables: [],
  wait: null,
  reinstall: 'impossible',
  debt_if_deleted: null,
  carried_debt: null,
  suspend_note: null,
  subusers: null,
};
/** What else the page asks for: each is there before a test goes on, so that nothing comes in between. */
const LISTS = {
  [`GET ${PATH}/files`]: { path: '', entries: [], total: 0, used: null, limit: 0, work: null },
  [`GET ${PATH}/backups`]: { backups: [], limit: 1 },
  [`GET ${PATH}/schedules`]: { schedules: [], limit: 10 },
};
const USAGE = { problem: 'busy', at: null, usage: null, delay_s: 20 };
async function show(answers: object = {}) {
  const shown = showScreen(page, {
    url: '/server/1',
    inBrowser: true,
    answers: { [`GET ${PATH}`]: DATA, [`GET ${PATH}/usage`]: USAGE, ...LISTS, ...answers },
  });
  const log = await screen.findByRole('log');
  await screen.findByText(live.problem.busy);
  for (const none of [live.files.empty, live.backups.none, live.schedules.none]) await screen.findByText(none);
  const stream = Stream.all.findLast((each) => each.url.includes('/console'));
  if (!stream) throw new Error('no stream was opened');
  return { ...shown, log, stream };
}
const line = (seq: number, text: string, kind = 'out') => ({ seq, at: '2026-11-21T18:29:50.000Z', kind, text });

test('a console shows lines as text, in their colours, with states in words and gaps', async () => {
  const { log, stream } = await show();
  expect(log.textContent).toContain(live.console.empty);
  stream.say('lines', {
    gap: false,
    lines: [
      line(4, 'unreadable conf/my file.json', 'config'),
      line(5, 'starting', 'state'),
      line(6, '\u001B[31m<img src=x>\u001B[0m'),
      line(7, 'list', 'in'),
    ],
  });
  expect(log.querySelector('img')).toBeNull();
  expect(log.querySelector('[data-ansi=red]')?.textContent).toBe('<img src=x>');
  expect(log.textContent).toContain(live.console.event.starting);
  expect(log.textContent).toContain(live.console.config.unreadable.replace('{{path}}', 'conf/my file.json'));
  expect(log.textContent).toContain('> list');
  stream.say('lines', { gap: true, lines: [line(90, 'later')] });
  expect(log.textContent).toContain(live.console.gap);
});

test('a break is shown, and the stream opens again behind the last line', async () => {
  const { stream, log } = await show();
  stream.say('lines', { gap: false, lines: [line(41, 'one')] });
  stream.say('error');
  expect(screen.getByText(live.console.away)).toBeTruthy();
  expect(stream.closed).toBe(true);
  await waitFor(() => expect(Stream.all.at(-1)?.url).toBe(`${PATH}/console?after=41`));
  Stream.all.at(-1)?.say('lines', { gap: false, lines: [line(42, 'two')] });
  expect(screen.queryByText(live.console.away)).toBeNull();
  expect(log.textContent).toContain('one');
  expect(log.textContent).toContain('two');
});

test('N6 a flood stays bounded in the page, and a paused console does not move', async () => {
  const { stream, log } = await show();
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => line(from + n, `n${from + n}`));
  stream.say('lines', { gap: false, lines: lines(1, 1500) });
  fireEvent.click(screen.getByRole('button', { name: live.console.pause }));
  stream.say('lines', { gap: false, lines: lines(1501, 1500) });
  expect(log.querySelectorAll('time')).toHaveLength(1500);
  fireEvent.click(screen.getByRole('button', { name: live.console.resume }));
  expect(log.querySelectorAll('time')).toHaveLength(2000);
  fireEvent.change(screen.getByLabelText(live.console.search), { target: { value: 'N2999' } });
  expect(log.querySelectorAll('time')).toHaveLength(1);
  expect(log.querySelector('mark')?.textContent).toBe('n2999');
  expect(screen.getByText('1 line found')).toBeTruthy();
});

test('a command is sent, comes back with the arrow keys, and a refusal is shown beside it', async () => {
  const { calls } = await show({ [`POST ${PATH}/command`]: {} });
  const field = screen.getByLabelText<HTMLInputElement>(live.console.command);
  for (const text of ['say one', 'say two']) {
    fireEvent.change(field, { target: { value: text } });
    fireEvent.click(screen.getByRole('button', { name: live.console.send }));
    await waitFor(() => expect(field.value).toBe(''));
  }
  expect(calls(`POST ${PATH}/command`).map((call) => call.body)).toEqual([{ text: 'say one' }, { text: 'say two' }]);
  for (const expected of ['say two', 'say one', 'say one']) {
    fireEvent.keyDown(field, { key: 'ArrowUp' });
    expect(field.value).toBe(expected);
  }
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  expect(field.value).toBe('say two');
  cleanup();
  await show({ [`POST ${PATH}/command`]: refuse('SERVER_OFF') });
  fireEvent.change(screen.getByLabelText(live.console.command), { target: { value: 'list' } });
  fireEvent.click(screen.getByRole('button', { name: live.console.send }));
  expect(await screen.findByText(errors.SERVER_OFF)).toBeTruthy();
});
