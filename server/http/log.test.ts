import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createLog } from './log.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LONG = 'x'.repeat(32_768);
/** A log and what it has written so far, piece by piece. */
function setUp(level: Parameters<typeof createLog>[0]) {
  const written: string[] = [];
  let now = 0;
  const log = createLog(
    level,
    () => (now += 1),
    (text) => void written.push(text),
  );
  return { log, written };
}

test('the log writes what is at its level or above, and nothing where it is silent', () => {
  const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
  for (const [at, level] of LEVELS.entries()) {
    const { log, written } = setUp(level);
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name](`a.${name}`);
    log.flush();
    const lines = written.join('').split('\n').filter(Boolean);
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(LEVELS.slice(at, 4));
  }
});

test('the log writes lines with their time, their event and their fields, whatever these hold', () => {
  const { log, written } = setUp('info');
  log.info('a.first');
  log.info('a "second"', { text: 'line\nbreak "quoted"', none: undefined, level: 7 });
  log.warn('a.third', {});
  log.flush();
  expect(written).toEqual([
    '{"at":1,"level":"info","event":"a.first"}\n' +
      '{"at":2,"level":"info","event":"a \\"second\\"","text":"line\\nbreak \\"quoted\\"","level":7}\n' +
      '{"at":3,"level":"warn","event":"a.third"}\n',
  ]);
});

test('the log writes again a moment after it wrote for the first time', () => {
  const { log, written } = setUp('info');
  for (const count of [1, 2]) {
    log.info('a.line');
    jest.advanceTimersByTime(50);
    expect(written).toHaveLength(count);
  }
});

test('the log gathers lines for a moment and writes them once, an error at once, and what is many at once', () => {
  const { log, written } = setUp('info');
  log.info('a.first');
  log.info('a.second');
  expect(written).toEqual([]);
  jest.advanceTimersByTime(50);
  expect(written).toHaveLength(1);
  log.info('a.third');
  log.error('a.fourth');
  expect(written).toHaveLength(2);
  expect(written[1]?.split('\n').filter(Boolean)).toHaveLength(2);
  // Nothing is left that would be written later, and nothing is written for nothing.
  jest.advanceTimersByTime(50);
  log.flush();
  expect(written).toHaveLength(2);
  log.info('a.fifth', { text: LONG });
  expect(written).toHaveLength(3);
  log.info('a.sixth', { text: 'x'.repeat(32_768 - 100) });
  expect(written).toHaveLength(3);
  log.flush();
  expect(written).toHaveLength(4);
});
