import type { Kysely } from 'kysely';
import type { LongRead, Tx } from '#server/modules/tx.ts';
import type { Dialect } from './dialect.ts';
import type { Raw } from './raw.ts';
import type { DB } from './schema.ts';

/**
 * The inside of one transaction: the query builder, hand-written SQL and every module's repository over the same
 * connection.
 */
export interface Session {
  readonly db: Kysely<DB>;
  readonly raw: Raw;
  readonly tx: Tx;
}

/** What an engine offers; the two are held to the same conformance suite. */
export interface Engine {
  readonly dialect: Dialect;
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Questions that may take long, off the thread that answers (LongReads). */
  long<T>(work: (session: Session) => Promise<T>, options: LongRead): Promise<T>;
  /** Lets what runs end, refuses what comes after, closes the connections. */
  close(): Promise<void>;
}
