import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { link, lstat, mkdir, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FILE_PAGE,
  FILE_TEXT_BYTES,
  OWN_FOLDER,
  type FileInput,
  type FileOutput,
} from '#shared/schemas/server-files.ts';
import { codeOf, freshName, Refused, versionOf, type Places } from './places.ts';
import type { Usage } from './usage.ts';

export interface Tools {
  readonly places: Places;
  readonly usage: Usage;
}
type Entry = FileOutput<'list'>['entries'][number];

/** Neither follows a link nor waits for a pipe. */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading. Throws `denied` for whatever is none. */
export async function openFile(places: Places, path: string): Promise<FileHandle> {
  const file = await open(await places.follow(path), constants.O_RDONLY | SAFE);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Refused('denied');
}

const rank = (entry: Dirent) => (entry.isDirectory() ? 0 : 1);
const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): Entry['kind'] =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';

async function readEntry(places: Places, folder: string, entry: Dirent): Promise<Entry> {
  const path = join(folder, entry.name);
  const found = await lstat(path).catch(() => null);
  const kind = kindOf(entry);
  let target: Entry['target'] = null;
  if (kind === 'link') {
    const end = await places
      .follow(path.slice(places.home.length + 1))
      .then((place) => stat(place))
      .catch(() => null);
    target = end?.isFile() ? 'file' : end?.isDirectory() ? 'folder' : null;
  }
  return {
    name: entry.name,
    kind,
    target,
    size: found?.size ?? 0,
    modifiedMs: found?.mtimeMs ?? 0,
    // What is no UTF-8 was replaced when the name was read, and leads nowhere.
    foreign: found === null && entry.name.includes('\u{fffd}'),
  };
}

/** A page of a folder: folders first, then by name. */
export async function list(
  { places, usage }: Tools,
  { path, from, find }: FileInput<'list'>,
  limit: number,
): Promise<FileOutput<'list'>> {
  const folder = path === '' ? places.home : await places.follow(path);
  const needle = find.toLowerCase();
  const all = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => path !== '' || entry.name !== OWN_FOLDER)
    .map((entry) => ({ entry, key: entry.name.toLowerCase() }))
    .filter(({ key }) => needle === '' || key.includes(needle))
    .toSorted((a, b) => rank(a.entry) - rank(b.entry) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const shown = all.slice(from, from + FILE_PAGE);
  const entries = await Promise.all(shown.map(({ entry }) => readEntry(places, folder, entry)));
  return { entries, total: all.length, used: await usage.shown(), limit };
}

/** The text of a file. Throws `not_text`, `too_large`. */
export async function openText(
  { places }: Tools,
  { path }: FileInput<'open'>,
): Promise<{ value: FileOutput<'open'>; bytes: Uint8Array }> {
  const file = await openFile(places, path);
  try {
    const before = await file.stat({ bigint: true });
    if (before.size > FILE_TEXT_BYTES) throw new Refused('too_large');
    const bytes = Buffer.alloc(Number(before.size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const text = bytes.subarray(0, bytesRead);
    if (!isUtf8(text) || text.includes(0)) throw new Refused('not_text');
    return { value: { version: versionOf(before) }, bytes: text };
  } finally {
    await file.close();
  }
}

/** Saves a text as a whole: whoever reads it has the one or the other. Throws `changed`, `exists`, `disk_full`. */
export async function save(
  { places, usage }: Tools,
  { path, version }: FileInput<'save'>,
  { bytes, limit }: { readonly bytes: Uint8Array; readonly limit: number },
): Promise<FileOutput<'save'>> {
  if (bytes.length > FILE_TEXT_BYTES) throw new Refused('too_large');
  const place = version === null ? await places.at(path) : await places.follow(path);
  const before = version === null ? null : await lstat(place, { bigint: true });
  if (before && !before.isFile()) throw new Refused('denied');
  if (before && versionOf(before) !== version) throw new Refused('changed');
  if (!before && (await lstat(place).catch(() => null))) throw new Refused('exists');
  await usage.take(Math.max(0, bytes.length - Number(before?.size ?? 0)), limit);
  const fresh = join(await places.own('fresh'), freshName());
  try {
    await writeWhole(fresh, bytes, before ? Number(before.mode) & 0o777 : 0o644);
    if (before) {
      const now = await lstat(place, { bigint: true }).catch(() => null);
      if (!now || versionOf(now) !== version) throw new Refused(now ? 'changed' : 'absent');
      await rename(fresh, place);
    } else await moveTo(fresh, place);
  } catch (error) {
    await unlink(fresh).catch(() => undefined);
    throw error;
  }
  return { version: versionOf(await lstat(place, { bigint: true })) };
}
async function writeWhole(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Bytes of a file from a place on; fewer where it ends. */
export async function part(
  { places }: Tools,
  { path, from, length, version }: FileInput<'part'>,
): Promise<{ value: FileOutput<'part'>; bytes: Uint8Array }> {
  const file = await openFile(places, path);
  try {
    const now = await file.stat({ bigint: true });
    if (version !== null && versionOf(now) !== version) throw new Refused('changed');
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, Number(now.size) - from)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return { value: { version: versionOf(now), size: Number(now.size) }, bytes: bytes.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}

export async function makeFolder({ places }: Tools, { path }: FileInput<'makeFolder'>): Promise<null> {
  await mkdir(await places.at(path), { mode: 0o755 });
  return null;
}

/**
 * Moves something to where nothing is. A file is linked there first, which the kernel refuses where something is; a
 * folder in the place of an empty one is all that renaming could do to folders. Throws `exists`.
 */
export async function moveTo(from: string, to: string): Promise<void> {
  const isThere = async () => (await lstat(to).catch(() => null)) !== null;
  if (await isThere()) throw new Refused('exists');
  if ((await lstat(from)).isDirectory()) return rename(from, to);
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    // A file system without links of this kind.
    return rename(from, to);
  }
  await unlink(from);
}
export async function move({ places }: Tools, { from, to }: FileInput<'move'>): Promise<null> {
  await moveTo(await places.at(from), await places.at(to));
  return null;
}
