import { Database } from 'bun:sqlite';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { replacePostgres } from '#server/data/backup/into-postgres.ts';
import type { Log } from '#server/modules/kernel.ts';
import { recipientOf, type Keys } from './container.ts';
import { createBackup, syncPath, uploadsFolder, type InstallationPlace } from './create.ts';
import { BackupFault } from './fault.ts';
import { recoveryKeyOf } from './recovery-key.ts';
import { decisionPath, isRestorePending, stagingFolder } from './staging.ts';
import { unpackBackup, UNPACKED, type Unpacked } from './unpack.ts';

/** Where a restore works. `keyIsGiven`: the key is that of the environment and is not kept in the folder. */
export interface RestorePlace extends Omit<InstallationPlace, 'appKey'> {
  /** The key of today; null where there is no installation yet. */
  readonly appKey: Uint8Array | null;
  readonly keyIsGiven: boolean;
}
interface Tools {
  readonly nowMs: number;
  readonly log: Log;
}
/**
 * First half of a restore: unpacks and proves a backup beside the installation, which may be in use and is not touched.
 * One that was left before is thrown away. Out: what it holds. Throws BackupFault, `foreign_key` where the environment
 * gives another key than the backup's.
 */
export async function stageRestore(
  place: RestorePlace,
  file: { readonly path: string; readonly keys: Keys },
  { nowMs, log, onRows }: Tools & { onRows?: (bytes: number) => void },
): Promise<Unpacked> {
  const folder = stagingFolder(place);
  const part = `${folder}.part`;
  rmSync(folder, { recursive: true, force: true });
  rmSync(part, { recursive: true, force: true });
  const unpacked = await unpackBackup(file.path, file.keys, part, {
    nowMs,
    log,
    endSessions: true,
    ...(onRows ? { onRows } : {}),
  });
  if (place.keyIsGiven && !sameKey(place.appKey, keyIn(part))) {
    rmSync(part, { recursive: true, force: true });
    throw new BackupFault(
      'foreign_key',
      'The backup belongs to another key than APP_KEY. Nothing was changed. Take APP_KEY away, so that the key of the backup is put into DATA_DIR.',
    );
  }
  // It was written without a flush: what is renamed into its place must be on the disk.
  for (const name of [UNPACKED.database, UNPACKED.appKey]) syncPath(join(part, name));
  renameSync(part, folder);
  return unpacked;
}

/**
 * Second half: takes a copy of what is there, then puts what was staged in its place. Nobody may use the installation
 * meanwhile. Who is killed before the decision leaves everything as it was, afterwards `finishRestore` goes on. In:
 * whether there is anything to copy. Out: id of the copy; null where there was nothing.
 */
export async function applyRestore(
  place: RestorePlace,
  { nowMs, log, copy, onStep }: Tools & { copy: boolean; onStep?: (step: 'copy' | 'replace') => void },
): Promise<string | null> {
  const folder = stagingFolder(place);
  if (!existsSync(join(folder, UNPACKED.database))) throw new Error('nothing is staged');
  let id: string | null = null;
  if (copy && place.appKey !== null) {
    onStep?.('copy');
    // Opened by the key of today and by that of tomorrow.
    const recipients = await Promise.all([place.appKey, keyIn(folder)].map((key) => recipientOf(recoveryKeyOf(key))));
    ({ id } = await createBackup(
      { ...place, appKey: place.appKey },
      { kind: 'safety', lock: { recipients: [...new Set(recipients)] }, nowMs },
    ));
  }
  onStep?.('replace');
  if ('path' in place.database) assertUnused(place.database.path, copy);
  writeFileSync(decisionPath(place), '', { flush: true });
  syncPath(folder);
  await finishRestore(place, { nowMs, log });
  return id;
}

/**
 * Ends a restore that was decided; nothing where there is none. May be killed and called again at any moment: each step
 * takes what it moves away from the folder.
 */
export async function finishRestore(place: RestorePlace, { nowMs, log }: Tools): Promise<void> {
  if (!isRestorePending(place)) return;
  const folder = stagingFolder(place);
  const staged = (name: string) => join(folder, name);
  if (existsSync(staged(UNPACKED.database))) {
    if ('path' in place.database) {
      // The log of what is replaced must not be taken for the new file's.
      for (const ending of ['-wal', '-shm']) rmSync(place.database.path + ending, { force: true });
      renameSync(staged(UNPACKED.database), place.database.path);
      syncPath(dirname(resolve(place.database.path)));
    } else {
      await replacePostgres(place.database.url, staged(UNPACKED.database), { nowMs, log });
      rmSync(staged(UNPACKED.database));
    }
  }
  if (existsSync(staged(UNPACKED.appKey))) {
    rmSync(join(place.dataDir, 'app.key.new'), { force: true });
    if (place.keyIsGiven) rmSync(staged(UNPACKED.appKey));
    else move(staged(UNPACKED.appKey), join(place.dataDir, 'app.key'));
  }
  if (existsSync(staged(UNPACKED.uploads))) {
    rmSync(uploadsFolder(place.dataDir), { recursive: true, force: true });
    move(staged(UNPACKED.uploads), uploadsFolder(place.dataDir));
  }
  syncPath(place.dataDir);
  rmSync(folder, { recursive: true, force: true });
}

/** Renames, or copies where the two lie on different disks. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    cpSync(from, `${to}.part`, { recursive: true });
    renameSync(`${to}.part`, to);
    rmSync(from, { recursive: true, force: true });
  }
}

/**
 * Brings the log of a SQLite file into it, which works only where nobody else has the file open: a program that kept it
 * open would remove the log of the new one when it ends. In: whether the file has to be sound.
 */
function assertUnused(path: string, sound: boolean): void {
  if (!existsSync(path)) return;
  let mode: string | undefined;
  try {
    const database = new Database(path, { readwrite: true, create: false });
    database.run('PRAGMA busy_timeout=5000');
    mode = database.query<{ journal_mode: string }, []>('PRAGMA journal_mode=DELETE').get()?.journal_mode;
    database.close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') mode = 'in use';
    else if (sound) throw error;
    else mode = 'delete';
  }
  if (mode !== 'delete')
    throw new BackupFault('busy', `${path} is in use by another program. Nothing was changed. End it first.`);
}

function keyIn(folder: string): Uint8Array {
  return new Uint8Array(Buffer.from(readFileSync(join(folder, UNPACKED.appKey), 'utf8').trim(), 'base64'));
}
function sameKey(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.from(a).equals(Buffer.from(b));
}
