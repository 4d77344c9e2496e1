import type { HealthFact, HealthFacts, HealthKey, HealthStatus } from '#shared/health.ts';

/** What a check found. */
export interface Finding<Code extends string = string> {
  /** One of the check's codes: it says how bad that is, and which texts are shown. */
  readonly code: Code;
  /** What it is about where a check has several rows: the name of a panel. */
  readonly subject?: string;
  /** Values that the texts of the code name. */
  readonly facts?: HealthFacts;
  /** A whole number that is worth following over a day: bytes, ms, a count. */
  readonly figure?: number;
}

/**
 * One check of the registry. A new one is a key in `shared/health.ts`, this, a line in `server/compose/health.ts`, and
 * texts in `locales/<language>/health.json` under `check.<key>`: `name`, `means`, each code, and for each code that is
 * not `ok` what to do about it (`<code>Do`); a test names those that are missing.
 */
export interface HealthCheck<Code extends string = string> {
  readonly key: HealthKey;
  /** Every code it can give, and how bad each is. */
  readonly codes: Readonly<Record<Code, HealthStatus>>;
  /** It says something of the serving process only, so that a command beside it leaves it out. */
  readonly ofProcess?: true;
  /** Not more often than this unless somebody asks: for what goes over the network. */
  readonly everyMs?: number;
  /**
   * Finds out; several findings each name their subject. A throw and a check that takes too long are findings as well
   * (`failed`, `late`). Never changes anything.
   */
  run(signal: AbortSignal): Promise<Finding<Code> | readonly Finding<Code>[]>;
}

/** Declares a check; the identity function that keeps its codes. */
export function defineCheck<const Code extends string>(check: HealthCheck<Code>): HealthCheck<Code> {
  return check;
}

/** Codes that every check can give: it threw, or it did not answer in time. */
export const COMMON_CODES = { failed: 'unknown', late: 'unknown' } as const satisfies Record<string, HealthStatus>;

export const bytes = (value: number): HealthFact => ({ unit: 'bytes', value: Math.round(value) });
export const span = (ms: number): HealthFact => ({ unit: 'ms', value: Math.max(0, Math.round(ms)) });
export const count = (value: number): HealthFact => ({ unit: 'count', value });
export const share = (value: number): HealthFact => ({ unit: 'share', value });
export const time = (atMs: number): HealthFact => ({ unit: 'time', value: atMs });
export const text = (value: string): HealthFact => ({ unit: 'text', value });
