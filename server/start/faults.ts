import { SQLiteError } from 'bun:sqlite';
import { SQL } from 'bun';
import { resolve } from 'node:path';
import { DomainError } from '#shared/errors.ts';
import { MigrationError } from '../data/migrate.ts';
import type { Config } from '../env.ts';
import { StartError } from './start-error.ts';

/** What SQLite says by its result codes, in words. */
const SQLITE: readonly [code: RegExp, text: (path: string) => string][] = [
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    (path) => `${path} is damaged or is no database of Spawnpoint. Keep it, and put a saved copy in its place.`,
  ],
  [/^SQLITE_FULL/, (path) => `The disk of ${path} is full. Free some space and start again: nothing is lost.`],
  [
    /^SQLITE_(READONLY|PERM|AUTH)/,
    (path) => `${path} cannot be written: the disk is mounted read-only, or the file belongs to somebody else.`,
  ],
  [
    /^SQLITE_CANTOPEN/,
    (path) => `${path} cannot be opened: check that its folder exists and belongs to the user that runs Spawnpoint.`,
  ],
  [/^SQLITE_IOERR/, (path) => `The disk of ${path} does not answer as it should. Check it before you start again.`],
  [/^SQLITE_(BUSY|LOCKED)/, (path) => `${path} is in use by another program. End it and start again.`],
];

/** What the system says of files and sockets, in words. */
const SYSTEM: Readonly<Record<string, (what: string) => string>> = {
  EACCES: (what) => `${what} may not be used by the user that runs Spawnpoint. Change its owner or its rights.`,
  EPERM: (what) => `${what} may not be used by the user that runs Spawnpoint. Change its owner or its rights.`,
  EROFS: (what) => `${what} lies on a disk that is mounted read-only.`,
  ENOSPC: (what) => `The disk of ${what} is full. Free some space and start again: nothing is lost.`,
  EDQUOT: (what) => `The disk quota of ${what} is used up. Free some space and start again: nothing is lost.`,
  ENOTDIR: (what) => `${what} cannot be made: a part of its path is a file.`,
};

/** PostgreSQL's SQLSTATE, in words. */
const POSTGRES: readonly [state: RegExp, text: string][] = [
  [/^28/, 'PostgreSQL refuses the user or the password of DATABASE_URL.'],
  [/^3D/, 'The database of DATABASE_URL does not exist: create it first.'],
  [/^42501/, 'The user of DATABASE_URL may not create tables in that database.'],
  [/^53100/, 'The disk of the PostgreSQL server is full.'],
  [/^(53|57P0)/, 'PostgreSQL takes no connections just now. Try again in a moment.'],
  [/^25006/, 'PostgreSQL is read-only there (a replica?): use the address of the primary.'],
];

/**
 * Words for a fault that ends a start. In: what was thrown, and the configuration. Out: what is wrong, where, and what
 * to do; null for a fault of the program itself, whose stack is wanted.
 */
export function startFault(
  error: unknown,
  config: Pick<Config, 'database' | 'dataDir' | 'host' | 'port'>,
): string | null {
  if (error instanceof StartError || error instanceof MigrationError) return error.message;
  // Visitors see one code for a database that cannot serve; its reason is the cause.
  if (error instanceof DomainError && error.cause !== undefined) return startFault(error.cause, config);
  if (error instanceof SQLiteError) {
    const path = resolve(config.database);
    return SQLITE.find(([code]) => code.test(error.code ?? ''))?.[1](path) ?? null;
  }
  if (error instanceof SQL.PostgresError) return postgresFault(error);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  if (error.code === 'EADDRINUSE')
    return `Port ${config.port} on ${config.host} is in use by another program. Choose another one with PORT, or end that program.`;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : config.dataDir;
  return SYSTEM[error.code]?.(resolve(path)) ?? null;
}

function postgresFault(error: InstanceType<typeof SQL.PostgresError>): string {
  const state = typeof error.errno === 'string' ? error.errno : '';
  const known = POSTGRES.find(([pattern]) => pattern.test(state));
  if (known) return `${known[1]} (${error.message})`;
  return `PostgreSQL cannot be reached at the address of DATABASE_URL. (${error.message})`;
}
