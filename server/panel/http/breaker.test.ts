import { describe, expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { createBreaker, FAILURES, FIRST_PAUSE_MS, LONGEST_PAUSE_MS } from './breaker.ts';

function broken() {
  const clock = fakeClock();
  const breaker = createBreaker(clock);
  for (let call = 0; call < FAILURES; call += 1) breaker.enter()?.('fault');
  return { clock, breaker };
}

describe('the circuit breaker', () => {
  test('the breaker opens after failures in a row, and one answer between them starts the count again', () => {
    const breaker = createBreaker(fakeClock());
    for (let call = 1; call < FAILURES; call += 1) breaker.enter()?.('fault');
    breaker.enter()?.('good');
    for (let call = 1; call < FAILURES; call += 1) breaker.enter()?.('fault');
    expect(breaker.state().circuit).toBe('closed');
    breaker.enter()?.('fault');
    expect(breaker.state().circuit).toBe('open');
    expect(breaker.enter()).toBeNull();
    expect(breaker.ready()).toBe(false);
  });

  test('the breaker lets one through after the pause, and closes by its answer', () => {
    const { clock, breaker } = broken();
    clock.advance(FIRST_PAUSE_MS - 1);
    expect(breaker.enter()).toBeNull();
    clock.advance(1);
    const trial = breaker.enter();
    expect([trial === null, breaker.enter(), breaker.state().circuit]).toEqual([false, null, 'trying']);
    trial?.('good');
    expect(breaker.state()).toEqual({ circuit: 'closed', opensAgainMs: null });
  });

  test('a failed try doubles the pause, up to the longest', () => {
    const { clock, breaker } = broken();
    const pauses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const untilMs = breaker.state().opensAgainMs ?? 0;
      pauses.push(untilMs - clock.now());
      clock.set(untilMs);
      breaker.enter()?.('fault');
    }
    expect(pauses).toEqual([5000, 10_000, 20_000, 40_000, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS]);
  });

  test('calls that were under way when it opened neither lengthen the pause nor end the try', () => {
    const clock = fakeClock();
    const breaker = createBreaker(clock);
    const late = breaker.enter();
    for (let call = 0; call < FAILURES; call += 1) breaker.enter()?.('fault');
    const untilMs = breaker.state().opensAgainMs;
    clock.advance(1000);
    late?.('fault');
    expect(breaker.state().opensAgainMs).toBe(untilMs);
  });

  test('a clock that is set back does not keep it open longer than its pause', () => {
    const { clock, breaker } = broken();
    clock.advance(-3_600_000);
    expect(breaker.ready()).toBe(false);
    clock.advance(FIRST_PAUSE_MS);
    expect(breaker.ready()).toBe(true);
  });
});
