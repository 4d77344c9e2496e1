import { expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { createAsking, PAUSE_MS } from './asking.ts';

/** Asks, with a clock and a timer of the test. `answer`: what the next question is answered by. */
function setUp() {
  const clock = fakeClock();
  const log = testLog();
  const timers = new Set<{ readonly ms: number; readonly run: () => void }>();
  const ask = createAsking({
    clock,
    timer: {
      after(ms, run) {
        const timer = { ms, run };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
    log,
    what: 'things',
    limitMs: 150,
  });
  let asked = 0;
  const answered = (answer: () => Promise<number>) =>
    ask(() => {
      asked += 1;
      return answer();
    });
  return { clock, log, timers, answered, asked: () => asked };
}
const fails = () => Promise.reject(new Error('no connection'));

test('an answer is given on, and nothing waits for it any longer', async () => {
  const { answered, timers, log } = setUp();
  expect(await answered(async () => 7)).toBe(7);
  expect([timers.size, log.events()]).toEqual([0, []]);
});

test('what failed is left alone for its pause, and the log hears once that it is away and once that it is back', async () => {
  const { answered, asked, clock, log, timers } = setUp();
  expect(await answered(fails)).toBeNull();
  clock.advance(PAUSE_MS - 1);
  expect(await answered(async () => 7)).toBeNull();
  expect(asked()).toBe(1);
  clock.advance(1);
  expect(await answered(fails)).toBeNull();
  expect([asked(), timers.size]).toEqual([2, 0]);
  clock.advance(PAUSE_MS);
  expect([await answered(async () => 7), await answered(async () => 8)]).toEqual([7, 8]);
  expect(log.lines.map(({ level, event, fields }) => [level, event, fields])).toEqual([
    ['warn', 'redis.away', { shared: 'things', error: 'Error: no connection' }],
    ['info', 'redis.back', { shared: 'things' }],
  ]);
  // A second time is another one.
  expect(await answered(fails)).toBeNull();
  expect(log.events()).toEqual(['redis.away', 'redis.back', 'redis.away']);
});

test('an answer that takes too long is none', async () => {
  const { answered, timers, log } = setUp();
  const waiting = answered(() => new Promise<number>(() => undefined));
  const [timer] = timers;
  expect(timer?.ms).toBe(150);
  timer?.run();
  expect(await waiting).toBeNull();
  expect(log.lines[0]?.fields).toEqual({ shared: 'things', error: 'Error: no answer in time' });
});

test('a clock that was set back keeps nobody away for longer than a pause', async () => {
  const { answered, clock } = setUp();
  expect(await answered(fails)).toBeNull();
  clock.advance(-60 * PAUSE_MS);
  expect(await answered(async () => 7)).toBeNull();
  clock.advance(PAUSE_MS);
  expect(await answered(async () => 7)).toBe(7);
});
