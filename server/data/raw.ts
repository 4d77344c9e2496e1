import type { Dialect } from './dialect.ts';

/** What may be bound: texts, whole numbers (safe integers), null. Booleans are 0 and 1 in the tables. */
export type Param = string | number | null;

/** Hand-written SQL on either engine. Placeholders are `?`; statements are prepared once and kept. */
export interface Raw {
  readonly dialect: Dialect;
  /**
   * A condition that every row fits, to stand first in the WHERE of a question over very many rows: by it the question
   * can be stopped where it runs elsewhere.
   */
  readonly stopCondition: string;
  /** Rows of a statement. On PostgreSQL write `CAST(SUM(x) AS BIGINT)`: a bare sum comes back as text. */
  all<T>(sql: string, params?: readonly Param[]): Promise<T[]>;
  /** First row, or undefined. */
  one<T>(sql: string, params?: readonly Param[]): Promise<T | undefined>;
  /** Runs a statement that gives no rows; `changes` counts the rows it inserted, changed or deleted. */
  run(sql: string, params?: readonly Param[]): Promise<{ changes: number }>;
}

/** Refuses a value that the two engines would not take alike. Throws TypeError or RangeError. */
export function assertParam(value: unknown): asserts value is Param {
  if (typeof value === 'string' || value === null) return;
  if (typeof value !== 'number') throw new TypeError(`not a value of a column: ${typeof value}`);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe whole number: ${value}`);
}

/** The condition of `stopCondition` where a question cannot be stopped by one. */
export const NEVER_STOPPED = '1 = 1';

/**
 * Makes SQLite read a table along one index, whatever its statistics say: for tables that grow without bound, where a
 * wrong choice would stall everybody. Fails loudly where the index is gone. Nothing on PostgreSQL, which plans with the
 * values at hand.
 */
export function alongIndex({ dialect }: Pick<Raw, 'dialect'>, index: string): string {
  return dialect === 'sqlite' ? ` INDEXED BY ${index}` : '';
}

/**
 * JOIN in the order in which it is written: SQLite reads the tables in that order, whatever its statistics say. Nothing
 * else than JOIN on PostgreSQL.
 */
export function joinInOrder({ dialect }: Pick<Raw, 'dialect'>): 'CROSS JOIN' | 'JOIN' {
  return dialect === 'sqlite' ? 'CROSS JOIN' : 'JOIN';
}

const numbered = new Map<string, string>();

/** `?` placeholders to `$1`, `$2` … Text in quotes is left alone. */
export function toNumbered(sql: string): string {
  let found = numbered.get(sql);
  if (found === undefined) {
    let count = 0;
    found = sql.replace(/'(?:[^']|'')*'|\?/g, (part) => (part === '?' ? `$${++count}` : part));
    if (numbered.size > 2000) numbered.clear();
    numbered.set(sql, found);
  }
  return found;
}
