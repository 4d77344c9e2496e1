import type { Mutant } from './mutants.ts';

/** Faults that no test finds, and why that does not matter. */
interface Accepted {
  readonly file: string;
  /** The function they lie in, as the script prints it. */
  readonly within: string;
  /** The lines before and after, with single spaces, as the script prints them. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly because: string;
}

export const ACCEPTED: readonly Accepted[] = [];

/** Whether a fault is one of those that may survive. */
export function isAccepted({ file, within, from, to }: Pick<Mutant, 'file' | 'within' | 'from' | 'to'>): boolean {
  return ACCEPTED.some(
    (each) =>
      each.file === file &&
      each.within === within &&
      each.changes.some(([before, after]) => before === from && after === to),
  );
}
