import { expect, test } from 'bun:test';
import { createLog } from './log.ts';
import { createLogStore } from './log-store.ts';

const ALL = { level: 'debug', limit: 1000 } as const;
/** A log that keeps its lines, and writes nowhere. */
function setUp(kept?: number) {
  const store = createLogStore(kept);
  let now = 0;
  const log = createLog(
    'info',
    () => (now += 1),
    () => undefined,
    store,
  );
  const events = (query: Partial<Parameters<typeof store.list>[0]> = {}) =>
    store.list({ ...ALL, ...query }).map(({ event }) => event);
  return { log, store, events };
}

test('lines are found by level, by part of their text, by request and from a place on, the newest first', () => {
  const { log, store, events } = setUp();
  const request = '01234567-89ab-7def-8123-456789abcdef';
  log.debug('a.debug');
  log.info('a.first', { path: '/dashboard', request_id: request });
  log.warn('a.second', { text: 'Disk (full)' });
  log.info('a.third');
  log.error('a.fourth', { request_id: request });
  expect(events()).toEqual(['a.fourth', 'a.third', 'a.second', 'a.first']);
  expect(events({ level: 'warn' })).toEqual(['a.fourth', 'a.second']);
  expect(events({ text: 'DISK (' })).toEqual(['a.second']);
  expect(events({ text: '.*' })).toEqual([]);
  expect(events({ requestId: request })).toEqual(['a.fourth', 'a.first']);
  expect(events({ limit: 2 })).toEqual(['a.fourth', 'a.third']);
  const [, third] = store.list(ALL);
  expect(events({ before: third?.seq ?? 0 })).toEqual(['a.second', 'a.first']);
});

test('the store is bounded, and a busy hour does not wash warnings away', () => {
  const { log, store, events } = setUp(10_000);
  log.warn('a.warning');
  for (let at = 0; at < 5000; at += 1) log.info('a.line', { at });
  const kept = store.list({ ...ALL, limit: 10_000 });
  const chars = kept.reduce((sum, { text }) => sum + text.length, 0);
  expect(chars).toBeLessThanOrEqual(10_100);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept[0]?.text).toContain('"at":4999');
  expect(events({ level: 'warn' })).toEqual(['a.warning']);
  // A line that is longer than all that is kept is cut.
  log.error('a.long', { text: 'x'.repeat(100_000) });
  expect(store.list({ level: 'error', limit: 1 })[0]?.text.length).toBeLessThan(8200);
});

test('the page that follows the log does not see itself', () => {
  const { log, events } = setUp();
  log.info('http.request', { method: 'GET', path: '/api/admin/logs', status: 200 });
  log.info('http.request', { method: 'GET', path: '/api/admin/logs/level', status: 200 });
  log.info('http.request', { method: 'GET', path: '/dashboard', status: 200 });
  expect(events()).toEqual(['http.request', 'http.request']);
});

test('the level is changed while the log runs', () => {
  const { log, events } = setUp();
  log.setLevel('debug');
  log.debug('a.debug');
  log.setLevel('error');
  log.warn('a.warning');
  expect([events(), log.level()]).toEqual([['a.debug'], 'error']);
});

test('T50 secrets are masked before a line is written or kept', () => {
  const store = createLogStore();
  let written = '';
  const log = createLog(
    'debug',
    () => 1,
    (text) => (written += text),
    store,
  );
  const secret = 'hunter2-hunter2-hunter2';
  const token = `sp_live_${'a1'.repeat(22)}`;
  log.info('a.password', { password: secret, user: 'ann' });
  log.info('a.nested', { request: { headers: { Authorization: `Bearer ${token}`, Cookie: `sid=${secret}` } } });
  log.warn('a.address', { url: `https://user:${secret}@smtp.example.com/x?token=${token}` });
  log.error('a.error', { error: `refused: Authorization: Bearer ${token}`, request_id: 'r1' });
  log.info('a.text', { text: `token ${token}` });
  log.flush();
  const kept = store
    .list(ALL)
    .map(({ text }) => text)
    .join('\n');
  for (const text of [written, kept]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(token);
    expect(text).toContain('"user":"ann"');
    expect(text).toContain('"request_id":"r1"');
  }
});

test('T54 what a stranger sends makes no second line', () => {
  const { log, store } = setUp();
  log.info('http.request', { path: '/x\n{"at":1,"level":"error","event":"a.fake"}\u2028' });
  const [line] = store.list(ALL);
  expect(line?.text.includes('\n')).toBe(false);
  expect(store.list(ALL)).toHaveLength(1);
});
