import { afterAll, afterEach, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '#shared/time.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { createLogFiles, type LineQuery } from './files.ts';
import { createLog } from '#server/http/log.ts';
import { LOG_BOUNDS, type LogBounds } from './writer.ts';

const home = mkdtempSync(join(roomyFolder(), 'spawnpoint-logs-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const ALL = { level: 'debug', limit: 1000 } as const;
const START = 1_790_000_000_000;
let folders = 0;
const opened: ReturnType<typeof createLogFiles>[] = [];
afterEach(async () => {
  for (const files of opened.splice(0)) await files.close();
});

/** A log in a folder, its own unless it is given one; each line is a millisecond after the last one. */
function setUp({
  folder = join(home, String((folders += 1))),
  bounds = LOG_BOUNDS as LogBounds,
  startMs = START,
} = {}) {
  let nowMs = startMs;
  const files = createLogFiles({ folder, now: () => nowMs, bounds });
  opened.push(files);
  files.begin();
  const log = createLog(
    'info',
    () => (nowMs += 1),
    () => undefined,
    files,
  );
  const list = (query: Partial<LineQuery> = {}) => log.list({ ...ALL, ...query });
  return {
    folder,
    files,
    log,
    list,
    events: async (query: Partial<LineQuery> = {}) => (await list(query)).lines.map(({ event }) => event),
    advance: (ms: number) => void (nowMs += ms),
    close: async () => {
      log.flush();
      await files.close();
    },
  };
}

test('lines are found by level, by part of their text, by request and from a place on, the newest first', async () => {
  const { log, list, events } = setUp();
  const request = '01234567-89ab-7def-8123-456789abcdef';
  log.debug('a.debug');
  log.info('a.first', { path: '/dashboard', request_id: request });
  log.warn('a.second', { text: 'Disk (full) – größer' });
  log.info('a.third');
  log.error('a.fourth', { request_id: request });
  expect(await events()).toEqual(['a.fourth', 'a.third', 'a.second', 'a.first']);
  expect(await events({ level: 'warn' })).toEqual(['a.fourth', 'a.second']);
  expect(await events({ text: 'DISK (' })).toEqual(['a.second']);
  expect(await events({ text: '.*' })).toEqual([]);
  expect(await events({ requestId: request })).toEqual(['a.fourth', 'a.first']);
  expect(await events({ limit: 2 })).toEqual(['a.fourth', 'a.third']);
  const { lines, end } = await list();
  const [, third, second] = lines;
  expect(await events({ before: third?.id ?? '' })).toEqual(['a.second', 'a.first']);
  expect(await events({ before: second?.id ?? '' })).toEqual(['a.first']);
  // What follows a place is what was written since.
  expect(await events({ after: end ?? '' })).toEqual([]);
  log.warn('a.fifth');
  log.info('a.sixth');
  expect(await events({ after: end ?? '' })).toEqual(['a.sixth', 'a.fifth']);
});

test('the log survives a restart, also one in the middle of a line, and goes on in the same file', async () => {
  const first = setUp();
  first.log.info('a.before');
  await first.close();
  const [name = ''] = readdirSync(first.folder);
  appendFileSync(join(first.folder, name), '{"at":1790000000002,"level":"info","event":"a.cut');
  const second = setUp({ folder: first.folder, startMs: START + 60_000 });
  second.log.error('a.after');
  expect(await second.events()).toEqual(['a.after', 'a.before']);
  await second.close();
  expect(readdirSync(first.folder)).toHaveLength(2);
  for (const file of readdirSync(first.folder)) expect(statSync(join(first.folder, file)).mode & 0o777).toBe(0o600);
  expect(statSync(first.folder).mode & 0o777).toBe(0o700);
});

const SMALL: LogBounds = { fileBytes: 4000, keptBytes: { all: 20_000, warnings: 20_000 }, keptMs: 14 * DAY };

test('files are bounded by size, and a busy hour does not wash warnings away', async () => {
  const { folder, log, list, events, close } = setUp({ bounds: SMALL });
  log.warn('a.warning');
  for (let at = 0; at < 1000; at += 1) {
    log.info('a.line', { at });
    if (at % 20 === 0) await list({ limit: 1 });
  }
  const { lines } = await list({ limit: 10_000 });
  expect(lines[0]?.text).toContain('"at":999');
  // The numbers of the lines that are left go down one by one, over all files, and the warning follows.
  const numbers = lines
    .slice(0, -1)
    .map(({ text }) => (JSON.parse(text.replace(/"at":\d+,/, '')) as { at: number }).at);
  expect(numbers).toEqual(numbers.map((_, at) => 999 - at));
  expect(numbers.length).toBeGreaterThan(150);
  expect(lines.at(-1)?.event).toBe('a.warning');
  expect(await events({ level: 'warn' })).toEqual(['a.warning']);
  // Pages follow each other without a gap, across files and into the warnings.
  const paged: string[] = [];
  for (let before: string | undefined; ; before = paged.at(-1)) {
    const page = (await list({ limit: 70, before })).lines;
    paged.push(...page.map(({ id }) => id));
    if (page.length < 70) break;
  }
  expect(paged).toEqual(lines.map(({ id }) => id));
  await close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(26_000);
});

test('a new file is begun each day, and what is older than two weeks is deleted', async () => {
  const { folder, log, events, advance, list } = setUp();
  for (let day = 0; day < 20; day += 1) {
    log.info(`a.day${day}`);
    await list();
    advance(DAY);
  }
  expect(await events({ limit: 2 })).toEqual(['a.day19', 'a.day18']);
  expect((await events()).length).toBe(14);
  expect(readdirSync(folder)).toHaveLength(14);
});

test('lines that lie across slices are read whole, and what is no line is passed over', async () => {
  const { folder, log, list, events } = setUp();
  for (let at = 0; at < 40; at += 1) log.info('a.long', { at, text: 'ü€'.repeat(4000) });
  log.info('a.last');
  await list();
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), `${'x'.repeat(3_000_000)}\n\u0000{"at":"no"}\n`);
  const { lines } = await list();
  expect(lines).toHaveLength(41);
  expect(lines.every(({ text }) => text.length < 8300)).toBe(true);
  expect(await events({ text: '"AT":17,' })).toEqual(['a.long']);
});

test('a disk that refuses loses lines but stops nobody, and the log says how much was lost', async () => {
  const { folder, log, events } = setUp();
  writeFileSync(folder, 'a file where the folder should be');
  log.info('a.lost');
  expect(await events()).toEqual([]);
  rmSync(folder);
  log.info('a.kept');
  expect(await events()).toEqual(['a.kept', 'log.lost']);
});

test('T46 a place that names no file of the log reads nothing else', async () => {
  const { folder, log, events } = setUp();
  log.info('a.line');
  await events();
  writeFileSync(join(folder, 'all-1.json'), '{"at":1,"level":"error","event":"a.secret"}\n');
  for (const before of ['all-1.99', '../../etc/passwd', 'all-../x.1', `all-${START * 2}.0`])
    expect(await events({ before })).not.toContain('a.secret');
});

test('the page that follows the log does not see itself', async () => {
  const { log, events } = setUp();
  log.info('http.request', { method: 'GET', path: '/api/admin/logs', status: 200 });
  log.info('http.request', { method: 'GET', path: '/dashboard', status: 200 });
  expect(await events()).toEqual(['http.request']);
});

test('the level is changed while the log runs', async () => {
  const { log, events } = setUp();
  log.setLevel('debug');
  log.debug('a.debug');
  log.setLevel('error');
  log.warn('a.warning');
  expect([await events(), log.level()]).toEqual([['a.debug'], 'error']);
});

test('T50 secrets are masked before a line is written or kept, and names of migrations are not', async () => {
  const { folder, log, list } = setUp();
  const secret = 'hunter2-hunter2-hunter2';
  const token = `sp_live_${'a1'.repeat(22)}`;
  log.info('a.password', { password: secret, user: 'ann' });
  log.info('a.nested', { request: { headers: { Authorization: `Bearer ${token}`, Cookie: `sid=${secret}` } } });
  log.warn('a.address', { url: `https://user:${secret}@smtp.example.com/x?token=${token}` });
  log.error('a.error', { error: `refused: Authorization: Bearer ${token}`, request_id: 'r1' });
  log.info('a.text', { text: `token ${token}` });
  log.error('a.migration', { error: 'no such column in 0041_places_of_early_supporters and others' });
  const kept = (await list()).lines.map(({ text }) => text).join('\n');
  const written = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  for (const text of [written, kept]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(token);
    expect(text).toContain('"user":"ann"');
    expect(text).toContain('"request_id":"r1"');
    expect(text).toContain('0041_places_of_early_supporters');
  }
});

test('T54 what a stranger sends makes no second line', async () => {
  const { log, list } = setUp();
  log.info('http.request', { path: '/x\n{"at":1,"level":"error","event":"a.fake"}\u2028' });
  const { lines } = await list();
  expect(lines).toHaveLength(1);
  expect(lines[0]?.text.includes('\n')).toBe(false);
});
