import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Zip, ZipDeflate } from 'fflate';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { filePath, ZIP_BYTES, ZIP_ENTRIES, type FileInput } from '#shared/schemas/server-files.ts';
import { removeWhole } from './bin.ts';
import { moveTo, openFile, type Tools } from './files.ts';
import { codeOf, freshName, Refused, refusalOf } from './places.ts';

/** Bytes that are read, and compressed, at a time: a second of this program's thread has very many of them. */
const CHUNK = 65_536;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Least and latest year that the format can say. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];
/** The system that an archive's modes are of, and a faster way to compress nearly as well. */
const UNIX = 3;
const LEVEL = 3;
const S_IFMT = 0o170_000;
const S_IFREG = 0o100_000;
const S_IFDIR = 0o040_000;
const EXECUTABLE = 0o111;

/** Writes what an archive gives, in its order, and waits for the disk. */
function sinkOf(file: FileHandle, { usage }: Tools, limit: number) {
  let waiting: Uint8Array[] = [];
  let at = 0;
  return {
    put: (bytes: Uint8Array): void => void waiting.push(bytes),
    async flush(): Promise<void> {
      const parts = waiting;
      waiting = [];
      for (const bytes of parts) {
        await usage.take(bytes.length, limit);
        for (let done = 0; done < bytes.length;)
          done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
        at += bytes.length;
        if (at > ZIP_BYTES) throw new Refused('archive_too_large');
      }
    },
  };
}

/** A file or folder that goes into an archive: where it is, and its name there. */
interface Source {
  readonly place: string;
  readonly name: string;
}

/** Names under which the files and folders of a call go into an archive. */
async function sourcesOf({ places }: Tools, paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    const place = await places.at(path);
    const found = await lstat(place);
    // As if it were not there: what a link leads to is no file of this server's folder.
    if (!found.isFile() && !found.isDirectory()) throw new Refused('absent');
    sources.push({ place, name: place.slice(place.lastIndexOf('/') + 1) });
  }
  return sources;
}

/** Packs files and folders into a new archive. Links, and what is neither, are left out: nothing is followed. */
export async function pack(tools: Tools, { paths, to }: FileInput<'pack'>, limit: number): Promise<null> {
  const { places } = tools;
  const place = await places.at(to);
  if (await lstat(place).catch(() => null)) throw new Refused('exists');
  const sources = await sourcesOf(tools, paths);
  const fresh = join(await places.own('fresh'), freshName());
  const file = await open(fresh, 'wx', 0o644);
  try {
    const sink = sinkOf(file, tools, limit);
    const zip = new Zip((error, bytes) => {
      if (error) throw error;
      sink.put(bytes);
    });
    const counts = { entries: 0, bytes: 0 };
    for (const source of sources) await add(tools, source, { zip, flush: sink.flush, counts });
    zip.end();
    await sink.flush();
    await file.sync();
    await moveTo(fresh, place);
  } catch (error) {
    await removeWhole(fresh);
    tools.usage.forget();
    throw error;
  } finally {
    await file.close();
  }
  return null;
}

interface Archive {
  readonly zip: Zip;
  readonly flush: () => Promise<void>;
  readonly counts: { entries: number; bytes: number };
}

async function add(tools: Tools, { place, name }: Source, archive: Archive): Promise<void> {
  const { places } = tools;
  const found = await lstat(place, { bigint: true });
  if (!found.isFile() && !found.isDirectory()) return;
  archive.counts.entries += 1;
  if (archive.counts.entries > ZIP_ENTRIES) throw new Refused('archive_too_large');
  if (found.isFile()) return addFile({ place, name }, found, archive);
  // A folder that became a link since is not gone into.
  if ((await realpath(place)) !== place || !place.startsWith(`${places.home}/`)) return;
  const folder = new ZipDeflate(`${name}/`, { level: 0 });
  describe(folder, found, S_IFDIR);
  archive.zip.add(folder);
  folder.push(new Uint8Array(), true);
  await archive.flush();
  for (const each of await readdir(place))
    await add(tools, { place: join(place, each), name: `${name}/${each}` }, archive);
}

/** Time and mode, as the format says them. */
function describe(entry: ZipDeflate, { mtimeMs, mode }: BigIntStats, kind: number): void {
  entry.mtime = Math.min(LAST_MS, Math.max(FIRST_MS, Number(mtimeMs)));
  entry.os = UNIX;
  entry.attrs = (((Number(mode) & 0o777) | kind) << 16) >>> 0;
}

async function addFile({ place, name }: Source, found: BigIntStats, { zip, flush, counts }: Archive): Promise<void> {
  const file = await open(place, READ);
  try {
    const entry = new ZipDeflate(name, { level: LEVEL });
    describe(entry, found, S_IFREG);
    zip.add(entry);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
      counts.bytes += bytesRead;
      // The format without its extension for large ones can say no more.
      if (counts.bytes > ZIP_BYTES) throw new Refused('archive_too_large');
      entry.push(new Uint8Array(buffer.subarray(0, bytesRead)), bytesRead === 0);
      await flush();
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

/** The kind that an entry says it is, where it was made by a Unix; 0: a plain one. */
const kindOf = ({ externalFileAttributes: attributes }: Entry): number => (attributes >>> 16) & S_IFMT;
const isFolder = ({ fileName }: Entry): boolean => fileName.endsWith('/');
const pathOf = ({ fileName }: Entry): string => fileName.replace(/\/+$/, '');

/**
 * Reads the directory of an archive. Throws `bad_archive` where a name leads elsewhere or something is encrypted,
 * `archive_too_large`. Out: the entries that are files and folders, and the bytes that they say they have.
 */
async function readDirectory(zip: ZipFile): Promise<{ readonly entries: readonly Entry[]; readonly bytes: number }> {
  if (zip.entryCount > ZIP_ENTRIES) throw new Refused('archive_too_large');
  const entries: Entry[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const kind = kindOf(entry);
    // Links, pipes and devices are left out, whatever they are called.
    if (kind !== 0 && kind !== S_IFREG && kind !== S_IFDIR) continue;
    if (!filePath.safeParse(pathOf(entry)).success || !entry.canDecodeFileData()) throw new Refused('bad_archive');
    entries.push(entry);
    bytes += entry.uncompressedSize;
  }
  return { entries, bytes };
}

/**
 * Unpacks an archive into a folder that is not there yet, which appears when all of it is unpacked. A folder that holds
 * all the rest is left out. Throws `bad_archive`, `archive_too_large`, `disk_full`, `exists`.
 */
export async function unpack(tools: Tools, { path, to }: FileInput<'unpack'>, limit: number): Promise<null> {
  const { places, usage } = tools;
  const place = await places.at(to);
  if (await lstat(place).catch(() => null)) throw new Refused('exists');
  const file = await openFile(places, path);
  const fresh = join(await places.own('fresh'), freshName());
  await mkdir(fresh, { mode: 0o755 });
  try {
    const zip = await asArchive(fromFdPromise(file.fd, { autoClose: false, lazyEntries: true }));
    const { entries, bytes } = await asArchive(readDirectory(zip));
    // What would not fit is not begun.
    await usage.take(0, limit, bytes);
    for (const entry of entries) await asArchive(unpackEntry(tools, zip, entry, { fresh, limit }));
    const [only, ...more] = await readdir(fresh, { withFileTypes: true });
    const whole = only?.isDirectory() && more.length === 0 ? join(fresh, only.name) : fresh;
    await moveTo(whole, place);
  } finally {
    await file.close();
    await removeWhole(fresh);
    usage.forget();
  }
  return null;
}

/** What is wrong with an archive is no fault of ours. */
async function asArchive<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // Those of the system have a reason: the disk is full, a file is denied.
    if (refusalOf(error) !== null) throw error;
    throw new Refused('bad_archive');
  }
}

async function unpackEntry(
  { usage }: Tools,
  zip: ZipFile,
  entry: Entry,
  { fresh, limit }: { readonly fresh: string; readonly limit: number },
): Promise<void> {
  const target = join(fresh, pathOf(entry));
  if (isFolder(entry)) return void (await mkdir(target, { recursive: true, mode: 0o755 }));
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  const mode = (entry.externalFileAttributes >>> 16) & EXECUTABLE ? 0o755 : 0o644;
  const file = await open(target, 'wx', mode).catch((error: unknown) => {
    // Two of one name, or a file that is a folder as well.
    throw codeOf(error) === 'EEXIST' ? new Refused('bad_archive') : error;
  });
  try {
    let sum = 0;
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Uint8Array;
      sum = crc32(bytes, sum);
      await usage.take(bytes.length, limit);
      await file.writeFile(bytes);
    }
    // The library checks sizes, not content.
    if (sum !== entry.crc32) throw new Refused('bad_archive');
    const at = entry.getLastModDate();
    if (!Number.isNaN(at.getTime())) await file.utimes(at, at);
  } finally {
    await file.close();
  }
}
