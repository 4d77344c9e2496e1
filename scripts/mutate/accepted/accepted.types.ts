/** Faults that no test finds, and why that does not matter. */
export interface Accepted {
  readonly file: string;
  /** The function they lie in, as the script prints it. */
  readonly within: string;
  /** The lines before and after, with single spaces, as the script prints them. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly because: string;
}
