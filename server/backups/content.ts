import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isPortableName, type PortableTable, type Snapshot } from '#server/data/backup/portable.ts';
import { damaged } from './fault.ts';
import { tarEnd, tarEntry, type TarEntry } from './tar.ts';

/**
 * What a backup holds, in this order: `manifest.json`, the rows of each table as files of JSON
 * (`tables/<name>/<number>.json`), `app.key`, `uploads/…`, and `end.json`, which says how many rows there were. Both
 * engines write the same, so that a backup of one is restored into the other; with `age -d`, `zstd -d` and `tar` it can
 * be read without Spawnpoint.
 */
export const FORMAT = 1;

/** Characters of rows that one file has before the next begins: small files need little memory. */
const FILE_CHARS = 1 << 18;
/** Files of rows after which what is thrown away is collected: left alone, the heap grows by a hundred megabytes first. */
const COLLECT_EACH = 24;
/** Bytes of uploads after which memory is collected: half of it takes a quarter longer, twice of it 25 MB more. */
const COLLECT_BYTES = 8 * 1024 ** 2;
/** The most bytes that any file may have. */
export const FILE_BYTES = 32 << 20;

const name = z.string().check(z.refine(isPortableName));
const counts = z.record(name, z.int().check(z.nonnegative()));
const manifest = z.object({
  format: z.int(),
  /** Version of the program. */
  version: z.string(),
  made_ms: z.int(),
  dialect: z.enum(['sqlite', 'postgres']),
  migrations: z.array(z.string().check(z.regex(/^[\w-]{1,100}$/))).check(z.maxLength(10_000)),
  tables: z
    .array(z.object({ name, columns: z.array(name).check(z.minLength(1), z.maxLength(500)) }))
    .check(z.maxLength(2000)),
  sequences: counts,
});
export type Manifest = z.infer<typeof manifest>;
const end = z.object({ rows: counts, users: z.int(), servers: z.int() });
export type BackupEnd = z.infer<typeof end>;

const parsed = <T extends z.ZodMiniType>(schema: T, entry: TarEntry): z.output<T> => {
  try {
    return schema.parse(JSON.parse(Buffer.from(entry.bytes).toString('utf8')));
  } catch {
    throw damaged(`${entry.name} cannot be read`);
  }
};
/** The manifest of a backup. Throws BackupFault `damaged`. */
export const parseManifest = (entry: TarEntry): Manifest => parsed(manifest, entry);
/** What stands at a backup's end. Throws BackupFault `damaged`. */
export const parseEnd = (entry: TarEntry): BackupEnd => parsed(end, entry);

/** A file of rows: which table it is for; null for any other name. */
export const tableOfEntry = (path: string): string | null =>
  /^tables\/([a-z][a-z0-9_]{0,62})\/\d{6}\.json$/.exec(path)?.[1] ?? null;

/**
 * The path of an upload below its folder; null for any other name. Nothing leads out of the folder: no part begins with
 * a dot, and only plain characters are taken (attacks T46, T49).
 */
export function uploadOfEntry(path: string): string | null {
  return /^uploads\/(([\w-][\w.-]{0,60}\/){0,4}[\w-][\w.-]{0,60})$/.exec(path)?.[1] ?? null;
}

/** What a backup is made of. */
interface Source {
  readonly snapshot: Snapshot;
  readonly appKey: Uint8Array;
  /** Folder of uploads; it need not be there. */
  readonly uploads: string;
  readonly version: string;
  readonly nowMs: number;
  /** Hears how many of all tables are done. */
  readonly onTable?: (done: number, all: number) => void;
}

/** Files and their bytes. */
export interface FileCounts {
  readonly files: number;
  readonly fileBytes: number;
}

/** A backup's archive, as it is read. Out: the blocks; at the end how many uploads it holds. */
export async function* writeContent(source: Source): AsyncGenerator<Buffer, FileCounts> {
  const { snapshot, appKey, version, nowMs, onTable } = source;
  const { dialect, migrations, tables, sequences } = snapshot;
  const head: Manifest = {
    format: FORMAT,
    version,
    made_ms: nowMs,
    dialect,
    migrations: [...migrations],
    tables: tables.map((table) => ({ name: table.name, columns: [...table.columns] })),
    sequences: { ...sequences },
  };
  yield json('manifest.json', head);
  const rows: Record<string, number> = {};
  for (const [at, table] of tables.entries()) {
    onTable?.(at, tables.length);
    rows[table.name] = yield* writeTable(snapshot, table);
  }
  yield tarEntry({ name: 'app.key', bytes: Buffer.from(`${Buffer.from(appKey).toString('base64')}\n`) });
  const uploads = yield* writeUploads(source.uploads);
  const last: BackupEnd = { rows, users: rows.users ?? 0, servers: rows.servers ?? 0 };
  yield json('end.json', last);
  yield tarEnd();
  return uploads;
}

const json = (path: string, value: unknown) => tarEntry({ name: path, bytes: Buffer.from(JSON.stringify(value)) });

async function* writeTable(snapshot: Snapshot, table: PortableTable): AsyncGenerator<Buffer, number> {
  let count = 0;
  let file = 0;
  let text = '';
  function next(): Buffer {
    file += 1;
    const bytes = Buffer.from(`[${text}]`);
    text = '';
    if (file % COLLECT_EACH === 0) Bun.gc(true);
    return tarEntry({ name: `tables/${table.name}/${String(file).padStart(6, '0')}.json`, bytes });
  }
  for await (const rows of snapshot.rows(table)) {
    for (const row of rows) {
      text += text === '' ? row : `,\n${row}`;
      if (text.length >= FILE_CHARS) yield next();
    }
    count += rows.length;
  }
  if (text !== '') yield next();
  return count;
}

async function* writeUploads(folder: string): AsyncGenerator<Buffer, FileCounts> {
  let [files, fileBytes] = [0, 0];
  for (const path of await filesBelow(folder)) {
    const entry = `uploads/${path}`;
    if (uploadOfEntry(entry) === null) throw new Error(`a backup cannot hold ${join(folder, path)}: its name`);
    // What was deleted since the folder was read is in no backup.
    const bytes = await readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (bytes === null) continue;
    if (bytes.length > FILE_BYTES) throw new Error(`a backup cannot hold ${join(folder, path)}: its size`);
    yield tarEntry({ name: entry, bytes });
    files += 1;
    const collected = Math.floor(fileBytes / COLLECT_BYTES);
    fileBytes += bytes.length;
    if (Math.floor(fileBytes / COLLECT_BYTES) > collected) Bun.gc(true);
  }
  return { files, fileBytes };
}

/** How many uploads a folder holds; none where it is not there. */
export async function countUploads(folder: string): Promise<FileCounts> {
  let [files, fileBytes] = [0, 0];
  for (const path of await filesBelow(folder)) {
    const found = await stat(join(folder, path)).catch(() => null);
    if (found === null) continue;
    files += 1;
    fileBytes += found.size;
  }
  return { files, fileBytes };
}

/** Paths of all files below a folder, with `/`; none where it is not there. */
async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
