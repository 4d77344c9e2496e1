import type { Dialect } from '../dialect.ts';

/** A table as a backup has it: what both engines have alike. */
export interface PortableTable {
  readonly name: string;
  readonly columns: readonly string[];
}
/** Names that may stand in SQL as they are; a backup that holds another is refused. */
const NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** Whether a text is the name of a table or column of ours. */
export const isPortableName = (name: string): boolean => NAME.test(name);

/** A name in quotation marks, for SQL. Throws RangeError where it is none of ours. */
export function quoted(name: string): string {
  if (!isPortableName(name)) throw new RangeError(`not a name of a table or column: ${name.slice(0, 80)}`);
  return `"${name}"`;
}

/** Tables and columns of a database that is open, with the last number that was counted up for each table that has one. */
export interface PortableSchema {
  readonly dialect: Dialect;
  /** Names of the migrations it holds. */
  readonly migrations: readonly string[];
  readonly tables: readonly PortableTable[];
  readonly sequences: Readonly<Record<string, number>>;
}

/** What staff compare two installations by: users and servers that are there, and credits in circulation. */
export interface Counts {
  readonly users: number;
  readonly servers: number;
  readonly credits: number;
}
/** One row of `Counts`, on both engines; counted as the dashboard counts (repos/overview.ts, repos/economy.ts). */
export const COUNTS = `SELECT (SELECT COUNT(*) FROM users WHERE status <> 'deleted') AS users,
    (SELECT COUNT(*) FROM servers WHERE state NOT IN ('deleted', 'failed')) AS servers,
    (SELECT 0 - COALESCE(SUM(balance), 0) FROM ledger_balances
      WHERE (account >= 'system:' AND account < 'system;') OR (account >= 'debt:' AND account < 'debt;')) AS credits`;
/** The row of `COUNTS` as numbers. */
export const toCounts = (row: Readonly<Record<keyof Counts, unknown>> | null | undefined): Counts => ({
  users: Number(row?.users ?? 0),
  servers: Number(row?.servers ?? 0),
  credits: Number(row?.credits ?? 0),
});

/** What a backup reads: one moment of a database, however long it takes, while others go on writing. */
export interface Snapshot extends PortableSchema {
  /** All rows of a table, some thousand at once, each as the text of a JSON list in the order of its columns. */
  rows(table: PortableTable): AsyncIterable<readonly string[]>;
  counts(): Promise<Counts>;
  close(): Promise<void>;
}
/** Types of columns that a backup knows to hold: texts and whole numbers are all there are (data/raw.ts). */
export const PORTABLE_TYPES: ReadonlySet<string> = new Set(['INTEGER', 'TEXT', 'BIGINT']);
