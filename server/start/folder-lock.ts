import { Database, SQLiteError } from 'bun:sqlite';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { StartError } from './start-error.ts';

/** Who serves from a database file, as the file beside it says. */
const holder = z.object({ pid: z.int(), address: z.string(), since: z.string() });
type Holder = z.infer<typeof holder>;

const lockPath = (database: string) => `${database}.lock`;
const holderPath = (database: string) => `${database}.serving`;

/**
 * Keeps a second serving process away from a SQLite file: it would release the leases of the first and do its work
 * again. The lock is SQLite's own, on a file beside the database, so the system lets go of it with the process, however
 * that ends. In: path of the database, and who asks. Out: the function that releases the lock. Throws StartError, which
 * names the holder, where another process holds it.
 */
export function lockFolder(database: string, me: Holder, advice = TWO_WRITERS): () => void {
  const lock = new Database(lockPath(database), { create: true, readwrite: true });
  try {
    // Long enough for who only looks (`isFolderLocked`), and no more: whoever holds it does so for as long as it serves.
    lock.run('PRAGMA busy_timeout=200');
    lock.run('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof SQLiteError) || error.code !== 'SQLITE_BUSY') throw error;
    throw new StartError(lockedText(database, advice));
  }
  writeFileSync(holderPath(database), `${JSON.stringify(me)}\n`, { mode: 0o600 });
  return () => {
    rmSync(holderPath(database), { force: true });
    lock.run('ROLLBACK');
    lock.close();
  };
}

/** Whether some process holds the lock of `lockFolder`, however it began. In: the same path. */
export function isFolderLocked(database: string): boolean {
  if (!existsSync(lockPath(database))) return false;
  const lock = new Database(lockPath(database), { create: false, readwrite: true });
  try {
    lock.run('PRAGMA busy_timeout=0');
    lock.run('BEGIN EXCLUSIVE');
    lock.run('ROLLBACK');
    return false;
  } catch (error) {
    if (!(error instanceof SQLiteError) || error.code !== 'SQLITE_BUSY') throw error;
    return true;
  } finally {
    lock.close();
  }
}

const TWO_WRITERS =
  'End it first: two that serve from one file would do everything twice. Several processes need PostgreSQL (DATABASE_URL).';

function lockedText(database: string, advice: string): string {
  const found = readHolder(database);
  const who = found
    ? `Process ${found.pid} serves from it at ${found.address} since ${found.since}.`
    : 'Another process serves from it.';
  return `${resolve(database)} is in use. ${who}\n${advice}`;
}

function readHolder(database: string): Holder | null {
  try {
    return holder.parse(JSON.parse(readFileSync(holderPath(database), 'utf8')));
  } catch {
    return null;
  }
}
