import type { Step } from './command.ts';

/**
 * Makes a failing list of steps short: leaves out ever smaller parts as long as it still fails. `fails` runs a list;
 * `mayGoOn` says whether there may be another run. Out: the shortest list found.
 */
export async function shrink(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly Step[]> {
  let best = await shortEnd(steps, fails, mayGoOn);
  for (let size = Math.ceil(best.length / 2); size >= 1 && mayGoOn();) {
    const before = best.length;
    for (let from = 0; from < best.length && mayGoOn();) {
      const rest = [...best.slice(0, from), ...best.slice(from + size)];
      if (rest.length > 0 && (await fails(rest))) best = rest;
      else from += size;
    }
    // Single steps are tried until none can go: what one needed may be gone meanwhile.
    if (size > 1) size = Math.ceil(size / 2);
    else if (best.length === before) break;
  }
  const calm = best.map((step) => ({ ...step, crash: null }));
  return mayGoOn() && (await fails(calm)) ? calm : best;
}

/** Most faults need only what happened last: the shortest end of the list that fails by itself. */
async function shortEnd(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly Step[]> {
  for (let size = 8; size < steps.length && mayGoOn(); size *= 4) {
    const end = steps.slice(-size);
    if (await fails(end)) return end;
  }
  return steps;
}

/** A list of steps as text, one a line. */
export function formatSteps(steps: readonly Step[]): string {
  return steps
    .map(
      ({ step, command, args, batch, crash }) =>
        `${step} ${command} ${JSON.stringify(args)}${batch === step ? '' : ' (at once)'}${crash === null ? '' : ` (breaks off before statement ${crash})`}`,
    )
    .join('\n');
}
