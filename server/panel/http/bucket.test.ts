import { describe, expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { runPending } from '#tests/support/panel-http.ts';
import { fakeTimer } from '#tests/support/timer.ts';
import { createBucket, rateOf, type Priority } from './bucket.ts';

function world(limit: number) {
  const clock = fakeClock();
  const timer = fakeTimer(clock);
  const bucket = createBucket({ clock, timer }, limit);
  // What the panel says to the first call in a minute in which nothing was used.
  bucket.begin(limit);
  const came: string[] = [];
  const ask = (name: string, priority: Priority = 'interactive', patienceMs = 60_000) =>
    void bucket.take(priority, patienceMs).then((yes) => came.push(`${name} ${yes ? 'yes' : 'no'}`));
  const pass = async (ms: number) => {
    clock.advance(ms);
    timer.run();
    await runPending();
  };
  return { clock, timer, bucket, came, ask, pass };
}

describe('the bucket of a panel', () => {
  test('the bucket gives never more than the limit in any minute, and all of it over a long time', async () => {
    const { clock, timer, bucket } = world(240);
    const given: number[] = [];
    for (let call = 0; call < 1000; call += 1)
      void bucket.take('interactive', 3_600_000).then(() => given.push(clock.now()));
    for (let step = 0; step < 8000 && given.length < 1000; step += 1) {
      await runPending();
      clock.advance(50);
      timer.run();
    }
    const worst = Math.max(...given.map((from) => given.filter((at) => at >= from && at < from + 60_000).length));
    expect(given.length).toBe(1000);
    expect(worst).toBeLessThanOrEqual(240);
    expect((given.at(-1) ?? 0) - (given[0] ?? 0)).toBeLessThan(6 * 60_000);
  });

  test('a part is kept for those whom somebody waits for, and they come first', async () => {
    const { came, ask, pass } = world(24);
    const { capacity, floor } = rateOf(24, 'background');
    for (let call = 0; call < capacity; call += 1) ask(`list ${call}`, 'background');
    await runPending();
    expect(came.length).toBe(capacity - floor);
    ask('interactive');
    await runPending();
    expect(came.at(-1)).toBe('interactive yes');
    for (let call = 0; call < floor; call += 1) ask(`interactive ${call}`);
    await runPending();
    const before = came.length;
    await pass(4000);
    expect(came.slice(before)).toEqual([`interactive ${floor - 1} yes`]);
  });

  test('a wait that is too long is given up, and the next one still comes', async () => {
    const { came, ask, pass } = world(4);
    ask('first');
    ask('impatient', 'interactive', 1000);
    ask('patient', 'interactive', 60_000);
    await pass(1000);
    expect(came).toEqual(['first yes', 'impatient no']);
    await pass(19_000);
    expect(came).toEqual(['first yes', 'impatient no', 'patient yes']);
  });

  test('nobody is let through before the time the panel named, also after the clock was set back', async () => {
    const { clock, came, ask, pass, bucket } = world(240);
    bucket.block(30_000);
    ask('early');
    await pass(29_999);
    expect(came).toEqual([]);
    clock.set(clock.now() - 3_600_000);
    ask('later');
    await pass(29_999);
    expect(came).toEqual([]);
    await pass(1);
    expect(came).toEqual(['early yes', 'later yes']);
  });

  test('the limit that the panel names counts from then on', async () => {
    const { bucket, came, ask } = world(240);
    bucket.learn(8);
    for (let call = 0; call < 10; call += 1) ask(String(call));
    await runPending();
    expect(came.length).toBe(2);
    expect(bucket.limit()).toBe(8);
  });

  test('what others use of it is not used again', async () => {
    const { bucket, came, ask } = world(240);
    expect(bucket.lower(3)).toBe(true);
    expect(bucket.lower(100)).toBe(false);
    for (let call = 0; call < 10; call += 1) ask(String(call));
    await runPending();
    expect(came.length).toBe(3);
  });
});
