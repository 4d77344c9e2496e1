import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { BACKUP_FAULTS, BACKUP_KINDS, type BackupKind, type BackupLock } from '#shared/backups.ts';

/** The names of backups are all there are: nothing else is read, sent or deleted (attacks T46). */
const NAME = /^spawnpoint-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(manual|daily|safety|upload)-[0-9a-f]{8}$/;
const SUFFIX = '.age';

export const figures = z.object({
  madeMs: z.int(),
  version: z.string(),
  dialect: z.enum(['sqlite', 'postgres']),
  users: z.int(),
  servers: z.int(),
  credits: z.int(),
  files: z.int(),
  fileBytes: z.int(),
});
/** What is known of a backup beside its name; kept next to it, in clear, and holds nothing secret. */
const facts = z.object({
  /** What it holds; null where nobody has looked into it yet. */
  figures: z._default(z.nullable(figures), null),
  /** The last verification; null: none yet. */
  verified: z.nullable(z.object({ at_ms: z.int(), fault: z.nullable(z.enum(BACKUP_FAULTS)) })),
});
type BackupFacts = z.infer<typeof facts>;

/** A backup in the folder. `facts` is null where the file was put there by hand. */
interface StoredBackup {
  readonly id: string;
  readonly kind: BackupKind;
  readonly atMs: number;
  readonly bytes: number;
  readonly lock: BackupLock;
  readonly facts: BackupFacts | null;
}

/** Whether a text is the id of a backup: its file's name without the ending. */
export const isBackupId = (id: string): boolean => NAME.test(id);

/** A new id. In: why the backup is there, and since when; eight hexadecimal digits, by chance where absent. */
export function newBackupId(kind: BackupKind, nowMs: number, suffix = randomBytes(4).toString('hex')): string {
  const at = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `spawnpoint-${at}-${kind}-${suffix}`;
}

/** The path of a backup's file. Throws RangeError where the id is none. */
export function backupPath(folder: string, id: string): string {
  if (!isBackupId(id)) throw new RangeError('not the id of a backup');
  return join(folder, id + SUFFIX);
}
const factsPath = (folder: string, id: string) => backupPath(folder, id).replace(/\.age$/, '.json');

/** Every backup of a folder, the newest first; none where it is not there. */
export function listBackups(folder: string): StoredBackup[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(SUFFIX) && isBackupId(name.slice(0, -SUFFIX.length)))
    .flatMap((name) => findBackup(folder, name.slice(0, -SUFFIX.length)) ?? [])
    .toSorted((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1));
}

/** What the id of a backup says: why it was made, and when; null where it is none. */
export function parseBackupId(id: string): { readonly kind: BackupKind; readonly atMs: number } | null {
  const [, year, month, day, hour, minute, second, kind] = NAME.exec(id) ?? [];
  const known = BACKUP_KINDS.find((each) => each === kind);
  if (!known) return null;
  const atMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return { kind: known, atMs };
}

/** One backup; null where there is none of this id. */
export function findBackup(folder: string, id: string): StoredBackup | null {
  const parsed = parseBackupId(id);
  if (!parsed) return null;
  const status = statSync(backupPath(folder, id), { throwIfNoEntry: false });
  if (!status?.isFile()) return null;
  return { id, ...parsed, bytes: status.size, lock: readLock(backupPath(folder, id)), facts: readFacts(folder, id) };
}

/** How the header of a file of age goes on where a passphrase opens it. */
const BY_PASSPHRASE = 'age-encryption.org/v1\n-> scrypt ';

/** What opens a backup, as its header says: in clear, at its beginning. */
function readLock(path: string): BackupLock {
  const header = Buffer.alloc(BY_PASSPHRASE.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  return header.toString('latin1') === BY_PASSPHRASE ? 'passphrase' : 'key';
}

function readFacts(folder: string, id: string): BackupFacts | null {
  try {
    return facts.parse(JSON.parse(readFileSync(factsPath(folder, id), 'utf8')));
  } catch {
    return null;
  }
}

/** Keeps what is known of a backup. */
export function writeFacts(folder: string, id: string, value: BackupFacts): void {
  const path = factsPath(folder, id);
  writeFileSync(`${path}.part`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** Deletes a backup. Out: whether there was one. */
export function deleteBackup(folder: string, id: string): boolean {
  const found = findBackup(folder, id) !== null;
  rmSync(backupPath(folder, id), { force: true });
  rmSync(factsPath(folder, id), { force: true });
  return found;
}

/** Whoever has not written for so long, in ms, is gone. */
const FORSAKEN = 6 * 3_600_000;

/** Makes the folder, for its owner alone, and throws away what a killed process left half-made there. In: the time. */
export function prepareFolder(folder: string, nowMs: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const status = /^spawnpoint-.*\.part$/.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (status && nowMs - status.mtimeMs > FORSAKEN) rmSync(path, { recursive: true, force: true });
  }
}
