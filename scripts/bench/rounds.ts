import { median } from './report.ts';

/** Runs calls, some at once. In: how many, how many at once, and one call (given its number, from 0). Out: seconds it took. */
export async function secondsOf(calls: number, concurrency: number, call: (number: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      next += 1;
      await call(next - 1);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  return (performance.now() - begun) / 1000;
}

/**
 * Seconds of processor time that this process spends on some work. For work that never waits it is what a core of its own would
 * take, and unlike the clock on the wall it does not count what other programs do on the machine meanwhile.
 */
export async function processorSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

/**
 * Two kinds of work in turn (A B A B …), so that a machine that slows down slows both. The first turn of each warms up and is not counted.
 * In: turns to count, and work that answers its rate; it is given the number of its turn, 0 for the warm-up. Out: medians.
 */
export async function inTurn(turns: number, a: (turn: number) => Promise<number>, b: (turn: number) => Promise<number>): Promise<{ a: number; b: number }> {
  await a(0);
  await b(0);
  const rates = { a: [] as number[], b: [] as number[] };
  for (let turn = 1; turn <= turns; turn += 1) {
    rates.a.push(await a(turn));
    rates.b.push(await b(turn));
  }
  return { a: median(rates.a), b: median(rates.b) };
}
