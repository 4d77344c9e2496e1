import { expect, test } from 'bun:test';
import { EndedEarly, keepProcess, type StartedProcess } from './kept-process.ts';

/** A process that does what a test says. */
interface Played extends StartedProcess {
  serve(): void;
  exit(code: number | null): void;
  readonly received: string[];
}
function play(): Played {
  const ready = Promise.withResolvers<string>();
  const exited = Promise.withResolvers<number | null>();
  const received: string[] = [];
  return {
    received,
    ready: ready.promise,
    exited: exited.promise,
    stop: () => void received.push('stop'),
    kill: () => {
      received.push('kill');
      exited.resolve(null);
    },
    serve: () => ready.resolve('it serves'),
    exit: exited.resolve,
  };
}
/** What waits runs. */
const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A kept process whose time passes only when a test says so. */
function keep(overlaps: boolean) {
  const begun: Played[] = [];
  const firsts: boolean[] = [];
  const log: [string, unknown][] = [];
  const waiting = new Map<object, { ms: number; call: () => void }>();
  let nowMs = 0;
  const kept = keepProcess({
    name: 'web 1',
    overlaps,
    start: (first) => {
      const played = play();
      begun.push(played);
      firsts.push(first);
      return played;
    },
    log: { info: (...line) => void log.push([line[0], line[1]]), warn: (...line) => void log.push([line[0], line[1]]) },
    now: () => nowMs,
    after: (ms, call) => {
      const key = {};
      waiting.set(key, { ms, call });
      return () => void waiting.delete(key);
    },
  });
  const one = (at: number): Played => begun[at] ?? play();
  return {
    kept,
    begun,
    firsts,
    log,
    one,
    pass: (ms: number) => void (nowMs += ms),
    /** Pauses and limits that are waited for, in ms. */
    waits: () => [...waiting.values()].map(({ ms }) => ms),
    /** Ends each of them. */
    async expire() {
      const calls = [...waiting.values()];
      waiting.clear();
      for (const { call } of calls) call();
      await settle();
    },
  };
}

test('a process that ends by itself is begun again, at once the first time and later after pauses that grow up to five seconds', async () => {
  const { kept, begun, firsts, one, waits, expire, log } = keep(true);
  one(0).serve();
  expect(await kept.ready).toBe('it serves');
  const pauses: number[] = [];
  for (let at = 0; at < 8; at += 1) {
    one(at).exit(9);
    await settle();
    pauses.push(...waits());
    await expire();
  }
  expect(pauses).toEqual([0, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  expect([begun.length, firsts]).toEqual([9, [true, ...Array.from({ length: 8 }, () => false)]]);
  expect(log[0]).toEqual(['workers.ended', { process: 'web 1', code: 9 }]);
});

test('a process that lived for half a minute did not fail at its start: the next one is begun at once', async () => {
  const { one, waits, expire, pass } = keep(true);
  one(0).serve();
  for (const at of [0, 1]) {
    one(at).exit(1);
    await settle();
    await expire();
  }
  pass(30_000);
  one(2).exit(1);
  await settle();
  expect(waits()).toEqual([0]);
});

test('a first process that ends before it serves is not begun again, and says its exit code', async () => {
  const { kept, one, begun, waits } = keep(false);
  one(0).exit(2);
  const error: unknown = await kept.ready.catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(EndedEarly);
  expect(error).toMatchObject({ code: 2 });
  await settle();
  expect([begun.length, waits()]).toEqual([1, []]);
  await kept.stop();
});

test('where two may serve the new one takes over before the old one has to end', async () => {
  const { kept, one, begun, waits } = keep(true);
  one(0).serve();
  const replaced = kept.replace();
  await settle();
  expect([begun.length, one(0).received]).toEqual([2, []]);
  one(1).serve();
  await settle();
  expect(one(0).received).toEqual(['stop']);
  one(0).exit(0);
  await replaced;
  await settle();
  expect([begun.length, waits()]).toEqual([2, []]);
});

test.each(['ends', 'does not answer'])('a new process that %s leaves the old one where it is', async (how) => {
  const { kept, one, expire, waits, begun } = keep(true);
  one(0).serve();
  const replaced = kept.replace();
  await settle();
  if (how === 'ends') one(1).exit(1);
  else await expire();
  await replaced;
  expect(one(0).received).toEqual([]);
  expect(waits()).toEqual([]);
  one(0).exit(1);
  await settle();
  await expire();
  expect(begun).toHaveLength(3);
});

test('where only one may serve the old one ends before the new one is begun', async () => {
  const { kept, one, begun } = keep(false);
  one(0).serve();
  const replaced = kept.replace();
  await settle();
  expect([begun.length, one(0).received]).toEqual([1, ['stop']]);
  one(0).exit(0);
  await settle();
  expect(begun).toHaveLength(2);
  one(1).serve();
  await replaced;
});

test('one that does not end when it is asked to is killed', async () => {
  const { kept, one, waits, expire, begun } = keep(false);
  one(0).serve();
  const stopped = kept.stop();
  expect(waits()).toEqual([30_000]);
  await expire();
  await stopped;
  expect([one(0).received, begun.length]).toEqual([['stop', 'kill'], 1]);
});

test('one that is ended for good is not begun again, not even out of a pause or a replacement', async () => {
  const { kept, one, expire, begun, waits } = keep(true);
  one(0).serve();
  for (const at of [0, 1]) {
    one(at).exit(1);
    await settle();
    if (at === 0) await expire();
  }
  await kept.stop();
  await kept.replace();
  await expire();
  expect([begun.length, waits()]).toEqual([2, []]);
});
