import { describe, expect, test } from 'bun:test';
import { reportingFetch } from '#client/lib/fetch.ts';
import { createConnection } from './connection.ts';

/** Runs what is waiting in the queue of microtasks. */
const nextMicrotask = () => Promise.resolve();

/** A connection to a server with the given answers, whose pauses move its clock. `probesDone` waits for all probes. */
function setUp(answers: boolean[]) {
  const pauses: number[] = [];
  let now = 0;
  let lost = 0;
  const connection = createConnection({
    probe: async () => answers.shift() ?? true,
    wait: async (ms) => {
      pauses.push(ms);
      now += ms;
    },
    nowMs: () => now,
    onLost: () => void (lost += 1),
  });
  const states: string[] = [];
  connection.subscribe(() => void states.push(connection.get()));
  const probesDone = async () => {
    for (let round = 0; round < 200; round += 1) await nextMicrotask();
  };
  return { connection, states, pauses, probesDone, lost: () => lost };
}

describe('the connection', () => {
  test('a transient fault is never shown', async () => {
    const { connection, states, probesDone, pauses } = setUp([true]);
    connection.reportFailure();
    await probesDone();
    expect([states, pauses]).toEqual([[], []]);
  });

  test('an unreachable server is shown as such, probed with growing delays, and back by itself', async () => {
    const { connection, states, probesDone, pauses, lost } = setUp([false, false, false, true]);
    connection.reportFailure();
    connection.reportFailure();
    await probesDone();
    expect(states).toEqual(['shaky', 'up']);
    expect(pauses).toEqual([2000, 3000, 5000]);
    expect(lost()).toBe(0);
  });

  test('S2.6 the connection is lost, once, when the server is away for over a minute', async () => {
    const { connection, states, probesDone, pauses, lost } = setUp([...Array.from({ length: 9 }, () => false), true]);
    connection.reportFailure();
    await probesDone();
    expect(states).toEqual(['shaky', 'lost', 'up']);
    expect(pauses.slice(0, 7)).toEqual([2000, 3000, 5000, 10_000, 20_000, 30_000, 30_000]);
    expect(lost()).toBe(1);
  });

  test('any answer ends the outage', async () => {
    const { connection, states } = setUp([]);
    const never = createConnection({
      probe: async () => false,
      wait: () => new Promise(() => undefined),
      nowMs: () => 0,
      onLost: () => undefined,
    });
    never.subscribe(() => void states.push(never.get()));
    never.reportFailure();
    while (never.get() === 'up') await nextMicrotask();
    never.reportAnswer();
    expect(states).toEqual(['shaky', 'up']);
    expect(connection.get()).toBe('up');
  });

  test('requests report how they went, and an aborted one reports nothing', async () => {
    const reported: string[] = [];
    const reporter = {
      reportFailure: () => void reported.push('failed'),
      reportAnswer: () => void reported.push('answered'),
    };
    await reportingFetch(
      async () => new Response('x', { status: 503 }),
      () => reporter,
    )('/x', {});
    await reportingFetch(
      () => Promise.reject(new TypeError('network')),
      () => reporter,
    )('/x', {}).catch(() => undefined);
    await reportingFetch(
      () => Promise.reject(new DOMException('x', 'AbortError')),
      () => reporter,
    )('/x', {}).catch(() => undefined);
    await reportingFetch(
      () => Promise.reject(new TypeError('x')),
      () => reporter,
    )('/x', { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(reported).toEqual(['answered', 'failed']);
    expect(
      (
        await reportingFetch(
          async () => new Response('x'),
          () => null,
        )('/x')
      ).status,
    ).toBe(200);
  });
});
