import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstallationFigures } from '#server/modules/backups/index.ts';
import type { Log } from '#server/modules/kernel.ts';
import type { PortableTable } from '#server/data/backup/portable.ts';
import { createScratch, finishScratch, unknownMigrations, type Scratch } from '#server/data/backup/scratch.ts';
import { openFile, type Keys } from './container.ts';
import {
  countUploads,
  FILE_BYTES,
  FORMAT,
  parseEnd,
  parseManifest,
  tableOfEntry,
  uploadOfEntry,
  type BackupEnd,
  type Manifest,
} from './content.ts';
import { BackupFault, damaged, toBackupFault } from './fault.ts';
import { readTar, type TarEntry } from './tar.ts';

/** Names in the folder that a backup is unpacked into. */
export const UNPACKED = { database: 'spawnpoint.db', appKey: 'app.key', uploads: 'uploads' } as const;

/** What a backup turned out to hold. */
export interface Unpacked {
  readonly figures: InstallationFigures;
  /** Faults of its ledger, as texts. */
  readonly faults: readonly string[];
}
interface Options {
  readonly nowMs: number;
  readonly log: Log;
  /** Somebody is to go on with it: its sessions are ended. */
  readonly endSessions: boolean;
  /** Hears how many bytes of rows were loaded. */
  readonly onRows?: (bytes: number) => void;
}

/**
 * Unpacks a backup into a folder of its own: a SQLite file that is up to date and proven, the key, the uploads. Nothing
 * outside the folder is touched, whatever the file says. In: the backup's path, what opens it, a folder that does not
 * exist yet. Throws BackupFault; then the folder is gone.
 */
export async function unpackBackup(path: string, keys: Keys, folder: string, options: Options): Promise<Unpacked> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, UNPACKED.uploads), { mode: 0o700 });
  try {
    const { manifest, end } = await readContent(path, keys, folder, options);
    const { faults, rows, counts } = await finishScratch(join(folder, UNPACKED.database), options);
    if (rows.users !== end.users || rows.servers !== end.servers) throw damaged('it does not hold what it says');
    const { made_ms: madeMs, dialect } = manifest;
    const version = manifest.version.slice(0, 40);
    const uploads = await countUploads(join(folder, UNPACKED.uploads));
    return { figures: { madeMs, version, dialect, ...counts, ...uploads }, faults };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw toBackupFault(error);
  }
}

async function readContent(
  path: string,
  keys: Keys,
  folder: string,
  options: Options,
): Promise<{ manifest: Manifest; end: BackupEnd }> {
  const entries = readTar(openFile(path, keys, statSync(path).size), FILE_BYTES);
  const first = await entries.next();
  if (first.done === true || first.value.name !== 'manifest.json') throw damaged('it has no manifest');
  const manifest = parseManifest(first.value);
  assertKnown(manifest);
  const scratch = await createScratch(join(folder, UNPACKED.database), manifest.migrations, options);
  try {
    const loader = createLoader(scratch, manifest, options);
    let end: BackupEnd | null = null;
    for await (const entry of entries) {
      if (end) throw damaged('something stands behind its end');
      if (entry.name === 'end.json') end = parseEnd(entry);
      else if (!loader.load(entry)) writeOther(folder, entry);
    }
    if (!end) throw damaged('it has no end');
    if (!existsSync(join(folder, UNPACKED.appKey))) throw damaged('it has no key');
    loader.assertWhole(end);
    const missing = orDamaged('its rows contradict each other', () => scratch.finish(manifest.sequences));
    if (missing > 0) throw damaged('some of its rows refer to others that are missing');
    return { manifest, end };
  } finally {
    scratch.close();
  }
}

/** Refuses what a later version of the program made. */
function assertKnown({ format, migrations, version }: Manifest): void {
  const unknown = unknownMigrations(migrations);
  if (format === FORMAT && unknown.length === 0) return;
  throw new BackupFault(
    'newer',
    `The backup was made by Spawnpoint ${version.slice(0, 40)}, which is newer than this one (${unknown[0] ?? `format ${format}`}). Nothing was changed. Use that version.`,
  );
}

/** Loads files of rows into their tables, and counts them. */
function createLoader(scratch: Scratch, { tables, sequences }: Manifest, { onRows }: Options) {
  const known = new Map(scratch.tables.map((table) => [table.name, new Set(table.columns)]));
  const given = new Map<string, PortableTable>(tables.map((table) => [table.name, table]));
  for (const { name, columns } of tables)
    if (columns.some((column) => !known.get(name)?.has(column))) throw damaged(`it has a strange table ${name}`);
  for (const name of Object.keys(sequences))
    if (!known.has(name)) throw damaged(`it counts in a strange table ${name}`);
  const counts: Record<string, number> = {};
  let bytes = 0;
  return {
    /** Out: whether the file is one of rows. */
    load(entry: TarEntry): boolean {
      const name = tableOfEntry(entry.name);
      if (name === null) return false;
      const table = given.get(name);
      if (!table) throw damaged(`it has rows of a strange table ${name}`);
      const rows = orDamaged(`the rows of ${entry.name} cannot be read`, () =>
        scratch.load(table, Buffer.from(entry.bytes).toString('utf8')),
      );
      counts[name] = (counts[name] ?? 0) + rows;
      bytes += entry.bytes.length;
      onRows?.(bytes);
      return true;
    },
    assertWhole({ rows }: BackupEnd): void {
      for (const name of new Set([...Object.keys(rows), ...given.keys()]))
        if ((rows[name] ?? 0) !== (counts[name] ?? 0)) throw damaged(`rows of ${name} are missing`);
    },
  };
}

/** Does something with what a backup says: what SQLite refuses is damaged. Throws faults of the disk as they are. */
function orDamaged(what: string, work: () => number): number {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^SQLITE_(FULL|IOERR)/.test(String(error.code))) throw error;
    throw damaged(what);
  }
}

/** The key and the uploads; any other name is refused. */
function writeOther(folder: string, { name, bytes }: TarEntry): void {
  if (name === 'app.key') {
    if (!/^[A-Za-z0-9+/_=-]{43,200}\n$/.test(Buffer.from(bytes).toString('latin1'))) throw damaged('its key is none');
    return writeFileSync(join(folder, UNPACKED.appKey), bytes, { flag: 'wx', mode: 0o600 });
  }
  const upload = uploadOfEntry(name);
  if (upload === null) throw damaged(`it has a strange file ${JSON.stringify(name.slice(0, 60))}`);
  const path = join(folder, UNPACKED.uploads, upload);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
}
