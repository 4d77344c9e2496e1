import { expect, test } from 'bun:test';
import { createFetch } from './fetch.ts';
import { createJournal } from './journal.ts';
import { recordPageEvents } from './watch.ts';

type Page = EventTarget & { console: Pick<Console, 'log' | 'info' | 'warn' | 'error'> };
function pageOf(printed: unknown[][] = []): Page {
  const print = (...values: unknown[]) => void printed.push(values);
  return Object.assign(new EventTarget(), { console: { log: print, info: print, warn: print, error: print } });
}
const waitUntil = async (done: () => boolean) => {
  while (!done()) await Promise.resolve();
};

test('S2.17 every request is logged, newest first, with url, method, status, statusText and both bodies', async () => {
  let now = 100;
  const journal = createJournal(() => now);
  const send = createFetch(
    async (url) => {
      now += 40;
      return url === '/api/b'
        ? Response.json({ n: 2 }, { status: 409, statusText: 'Conflict', headers: { 'X-Request-Id': 'r-2' } })
        : new Response('fine', { headers: { 'Content-Type': 'text/plain' } });
    },
    journal,
    () => now,
  );
  await send('/api/a');
  const answer = await send('/api/b', { method: 'post', body: '{"days":30}' });
  expect(await answer.json()).toEqual({ n: 2 });
  await waitUntil(() => journal.requests().every(({ responseBody }) => responseBody !== ''));
  expect(journal.requests()).toEqual([
    {
      id: 2,
      atMs: 140,
      url: '/api/b',
      method: 'POST',
      status: 409,
      statusText: 'Conflict',
      requestBody: '{"days":30}',
      responseBody: '{"n":2}',
      requestId: 'r-2',
      tookMs: 40,
    },
    {
      id: 1,
      atMs: 100,
      url: '/api/a',
      method: 'GET',
      status: 200,
      statusText: '',
      requestBody: '',
      responseBody: 'fine',
      requestId: '',
      tookMs: 40,
    },
  ]);
});

test('a request that gets no answer is logged with the reason, and the caller hears of it', async () => {
  const journal = createJournal(() => 0);
  const send = createFetch(
    () => Promise.reject(new TypeError('Failed to fetch')),
    journal,
    () => 0,
  );
  await expect(send('/api/a')).rejects.toThrow('Failed to fetch');
  expect(journal.requests()[0]).toMatchObject({ status: null, statusText: 'TypeError: Failed to fetch', tookMs: 0 });
});

test('the caller does not wait for the body; event streams, images and long bodies are not kept', async () => {
  const journal = createJournal(() => 0);
  let read = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (out) => {
          read += 1;
          out.enqueue(new Uint8Array(100_000).fill(97));
        },
      },
      { highWaterMark: 0 },
    );
  const types = ['text/event-stream', 'image/png', 'text/plain'];
  const send = createFetch(
    (url) => Promise.resolve(new Response(endless(), { headers: { 'Content-Type': types[Number(url)] ?? '' } })),
    journal,
    () => 0,
  );
  await send('0');
  await send('1');
  expect(read).toBe(0);
  const { body } = await send('2');
  expect(journal.requests()[0]?.status).toBe(200);
  await waitUntil(() => journal.requests()[0]?.responseBody !== '');
  expect(journal.requests()[0]?.responseBody).toBe('…');
  await body?.cancel();
});

test('S8.11 unhandled rejections and global errors are collected with their prefixes, and not swallowed', () => {
  const journal = createJournal(() => 7);
  const page = pageOf();
  recordPageEvents(page, journal);
  const error = new TypeError('x is not a function');
  const thrown = Object.assign(new Event('error', { cancelable: true }), { error, message: 'Uncaught' });
  const rejected = Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason: 'no such egg' });
  page.dispatchEvent(thrown);
  page.dispatchEvent(rejected);
  page.dispatchEvent(Object.assign(new Event('error'), { error: null, message: 'ResizeObserver loop' }));
  expect(journal.errors().map(({ text }) => text)).toEqual([
    'Global Error: ResizeObserver loop',
    'Unhandled Promise Rejection: no such egg',
    'Global Error: TypeError: x is not a function',
  ]);
  expect(journal.errors().at(-1)?.stack).toContain('journal.test');
  expect([thrown.defaultPrevented, rejected.defaultPrevented]).toEqual([false, false]);
});

test('lines of the console are kept and still printed, also values that cannot be read', () => {
  const journal = createJournal(() => 0);
  const printed: unknown[][] = [];
  const page = pageOf(printed);
  recordPageEvents(page, journal);
  const cursed = {
    get name(): string {
      throw new Error('no');
    },
  };
  page.console.warn('ads skipped', { status: 503 });
  page.console.error(cursed);
  expect(journal.lines().map(({ level, text }) => `${level}: ${text}`)).toEqual(['warn: ads skipped {"status":503}']);
  expect(printed).toEqual([['ads skipped', { status: 503 }], [cursed]]);
});

test('the journal is bounded, can be cleared and set not to record, and notifies its listeners once', async () => {
  const journal = createJournal(() => 0);
  let announced = 0;
  const stop = journal.subscribe(() => (announced += 1));
  for (let n = 0; n < 250; n += 1) journal.line('log', String(n));
  await Promise.resolve();
  expect([announced, journal.lines().length, journal.lines()[0]?.text]).toEqual([1, 200, '249']);
  journal.record('lines', false);
  journal.line('log', 'unheard');
  journal.clear('lines');
  await Promise.resolve();
  expect([announced, journal.lines()]).toEqual([2, []]);
  stop();
});
