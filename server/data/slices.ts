import type { Param, Raw } from './raw.ts';

/** A table without an index of time, which is gone through along its key. */
interface Walked {
  readonly table: string;
  /** The first column of its primary key: a text. */
  readonly key: string;
  /** What says how old a row is. */
  readonly age: string;
}

/**
 * Deletes what is older than a moment (or day) among the next `limit` rows after a key. Out: the key to go on after;
 * null at the end. A key with several rows is never cut in two.
 */
export async function deleteAlongKey(
  raw: Raw,
  { table, key, age }: Walked,
  before: Param,
  afterKey: string,
  limit: number,
): Promise<string | null> {
  const slice = await raw.one<{ last: string | null }>(
    `SELECT MAX(${key}) AS last FROM (SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?) t`,
    [afterKey, limit],
  );
  const last = slice?.last ?? null;
  if (last !== null)
    await raw.run(`DELETE FROM ${table} WHERE ${key} > ? AND ${key} <= ? AND ${age} < ?`, [afterKey, last, before]);
  return last;
}
