import { ddl, type Dialect } from '../dialect.ts';
import type { Raw } from '../raw.ts';

/** What a migration gets: SQL inside its own transaction, the engine, and the time (UTC ms) for rows it adds. */
export interface Step {
  readonly raw: Raw;
  readonly dialect: Dialect;
  readonly nowMs: number;
}

/** One change of the tables. Never edited once released; a later one repairs it. */
export interface Migration {
  readonly name: string;
  /** Names it went by in earlier versions: a database that holds one of them has it. */
  readonly formerly?: readonly string[];
  up(step: Step): Promise<void>;
}

/** Runs portable DDL statements one after the other. */
export async function define({ raw, dialect }: Step, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await raw.run(ddl(dialect, statement));
}

/** A column of 0 or 1. */
export const bit = (name: string) => `${name} INTEGER NOT NULL CHECK (${name} IN (0, 1))`;

/** A column of one of some words. */
export const oneOf = (name: string, words: readonly string[]) =>
  `${name} TEXT NOT NULL CHECK (${name} IN (${words.map((word) => `'${word}'`).join(', ')}))`;
