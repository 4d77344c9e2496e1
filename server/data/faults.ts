import { SQLiteError } from 'bun:sqlite';
import { SQL } from 'bun';
import type { Log } from '#server/modules/kernel.ts';
import { DomainError } from '#shared/errors.ts';
import { FlushError } from './sqlite-flush.ts';

/** SQLite: locked by another process for too long, disk full or broken, file not writable. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)/;
/**
 * PostgreSQL: connection exceptions, out of resources, a statement that took too long, shut down or starting up
 * (classes 08 and 53, 57014, 57P01 to 57P03).
 */
const POSTGRES = /^(08|53|57014|57P0[123])/;

/**
 * A long question that the reading thread could not answer: SQLite's own fault with its code, the thread's end, or a
 * limit that passed (no code).
 */
export class ReaderError extends Error {
  readonly code: string | null;
  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

/** SQLSTATE of an error of PostgreSQL, or an empty text. */
export function sqlState(error: unknown): string {
  return error instanceof SQL.PostgresError && typeof error.errno === 'string' ? error.errno : '';
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof FlushError) return true;
  if (error instanceof ReaderError) return error.code === null || SQLITE.test(error.code);
  if (error instanceof SQLiteError) return SQLITE.test(error.code ?? '');
  if (!(error instanceof SQL.PostgresError)) return false;
  return error.code.startsWith('ERR_POSTGRES_CONNECTION') || POSTGRES.test(sqlState(error));
}

/**
 * What to throw for an error: SERVER_UNAVAILABLE (behaviour 1: 503) where the database cannot serve, which is logged;
 * with the error as its cause; else the error itself.
 */
export function translateDbError(error: unknown, log: Log): unknown {
  if (!isUnavailable(error)) return error;
  log.error('database.unavailable', { error: String(error) });
  return Object.assign(new DomainError('SERVER_UNAVAILABLE'), { cause: error });
}
