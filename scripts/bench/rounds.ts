import { median } from './report.ts';

/**
 * Runs calls, some at once. In: how many, how many at once, and one call (given its number, from 0). Out: seconds it
 * took.
 */
export async function secondsOf(
  calls: number,
  concurrency: number,
  call: (number: number) => Promise<unknown>,
): Promise<number> {
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
 * Seconds of processor time that this process spends on some work. For work that never waits it is what a core of its
 * own would take, and unlike the clock on the wall it does not count what other programs do on the machine meanwhile.
 */
export async function processorSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

type Round = (round: number) => Promise<number>;

/**
 * Kinds of work one after the other (A B C A B C …), so that a machine that slows down slows all. The first round of
 * each warms up and is not counted. In: rounds to count, and work that answers its rate; it is given the number of its
 * round, 0 for the warm-up. Out: medians, in their order.
 */
export async function alternate(rounds: number, works: readonly Round[]): Promise<number[]> {
  const rates = works.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, work] of works.entries()) {
      const rate = await work(round);
      if (round > 0) rates[at]?.push(rate);
    }
  }
  return rates.map(median);
}

/** Two kinds of work, one after the other, as `alternate` does it. */
export async function alternatePair(rounds: number, a: Round, b: Round): Promise<{ a: number; b: number }> {
  const [first = NaN, second = NaN] = await alternate(rounds, [a, b]);
  return { a: first, b: second };
}
