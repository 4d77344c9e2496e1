import { describe, expect, test } from 'bun:test';
import { noticingFetch } from '#client/lib/fetch.ts';
import { createConnection } from './connection.ts';

/** Lets everything run that is ready to. */
const turn = () => Promise.resolve();

/** A server whose answers the test writes, and a clock that the pauses move. */
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
  const settled = async () => {
    for (let round = 0; round < 200; round += 1) await turn();
  };
  return { connection, states, pauses, settled, lost: () => lost };
}

describe('the connection', () => {
  test('a passing fault is never seen', async () => {
    const { connection, states, settled, pauses } = setUp([true]);
    connection.failed();
    await settled();
    expect([states, pauses]).toEqual([[], []]);
  });

  test('a server that is away for a moment is shown as away, asked with growing pauses, and back by itself', async () => {
    const { connection, states, settled, pauses, lost } = setUp([false, false, false, true]);
    connection.failed();
    connection.failed();
    await settled();
    expect(states).toEqual(['shaky', 'up']);
    expect(pauses).toEqual([2000, 3000, 5000]);
    expect(lost()).toBe(0);
  });

  test('S2.6 the connection is lost, once, when the server is away for over a minute', async () => {
    const { connection, states, settled, pauses, lost } = setUp([...Array.from({ length: 9 }, () => false), true]);
    connection.failed();
    await settled();
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
    never.failed();
    while (never.get() === 'up') await turn();
    never.answered();
    expect(states).toEqual(['shaky', 'up']);
    expect(connection.get()).toBe('up');
  });

  test('requests report how they went, and one that was given up reports nothing', async () => {
    const told: string[] = [];
    const watcher = { failed: () => void told.push('failed'), answered: () => void told.push('answered') };
    await noticingFetch(
      async () => new Response('x', { status: 503 }),
      () => watcher,
    )('/x', {});
    await noticingFetch(
      () => Promise.reject(new TypeError('network')),
      () => watcher,
    )('/x', {}).catch(() => undefined);
    await noticingFetch(
      () => Promise.reject(new DOMException('x', 'AbortError')),
      () => watcher,
    )('/x', {}).catch(() => undefined);
    await noticingFetch(
      () => Promise.reject(new TypeError('x')),
      () => watcher,
    )('/x', { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(told).toEqual(['answered', 'failed']);
    expect(
      (
        await noticingFetch(
          async () => new Response('x'),
          () => null,
        )('/x')
      ).status,
    ).toBe(200);
  });
});
