import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  BIN_DAYS,
  binId,
  filePath,
  FILE_PATH_BYTES,
  type FileInput,
  type FileOutput,
} from '#shared/schemas/server-files.ts';
import { DAY } from '#shared/time.ts';
import { moveTo, type Tools } from './files.ts';
import { freshName, Refused } from './places.ts';

type BinEntry = FileOutput<'bin'>['entries'][number];
/** Entries that are shown. */
const SHOWN = 500;

const isBinId = (name: string) => binId.safeParse(name).success;
const deletedMs = (id: string) => Number.parseInt(id.split('-')[0] ?? '', 36);

/** Deletes something for good, however deep it is and whatever rights its folders have. Throws `denied`. */
export async function removeWhole(path: string): Promise<void> {
  const run = async (...argv: string[]) =>
    (await Bun.spawn(argv, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).exited) === 0;
  // Neither follows a link; rm goes down without paths, which would become too long.
  if (await run('rm', '-rf', '--one-file-system', '--', path)) return;
  await run('chmod', '-R', 'u+rwX', '--', path);
  if (!(await run('rm', '-rf', '--one-file-system', '--', path))) throw new Refused('denied');
}

/**
 * The bin: a folder an entry, named by when it was deleted, with `item`, which was deleted, and `path`, where it was.
 * The server may change all of it, as it may change its files.
 */
export function openBin({ places, usage }: Tools, now: () => number) {
  async function originOf(entry: string): Promise<string> {
    const file = await open(
      join(entry, 'path'),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    ).catch(() => null);
    if (!file) return '';
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_PATH_BYTES + 1), 0, FILE_PATH_BYTES + 1, 0);
      const read = filePath.safeParse(buffer.toString('utf8', 0, bytesRead));
      return read.success ? read.data : '';
    } catch {
      return '';
    } finally {
      await file.close();
    }
  }
  async function put(path: string, bin: string): Promise<void> {
    const place = await places.at(path);
    await lstat(place);
    const entry = join(bin, `${now().toString(36)}-${freshName()}`);
    await mkdir(entry, { mode: 0o700 });
    const note = await open(join(entry, 'path'), 'wx', 0o600);
    await note.writeFile(path).finally(() => note.close());
    try {
      await rename(place, join(entry, 'item'));
    } catch (error) {
      await rm(entry, { recursive: true, force: true });
      throw error;
    }
  }
  async function readEntry(bin: string, id: string): Promise<BinEntry | null> {
    const item = await lstat(join(bin, id, 'item')).catch(() => null);
    if (!item) return null;
    const kind = item.isFile() ? 'file' : item.isDirectory() ? 'folder' : item.isSymbolicLink() ? 'link' : 'other';
    return { id, path: await originOf(join(bin, id)), kind, size: item.size, deletedMs: deletedMs(id) };
  }
  async function restore(bin: string, id: string): Promise<void> {
    const path = await originOf(join(bin, id));
    if (path === '') throw new Refused('absent');
    const folder = dirname(path);
    if (folder !== '.') await mkdir(join(places.home, folder), { recursive: true });
    await moveTo(join(bin, id, 'item'), await places.at(path));
    await removeWhole(join(bin, id));
  }
  const ids = async (bin: string | null) => (bin === null ? [] : (await readdir(bin)).filter(isBinId));

  return {
    async delete({ paths }: FileInput<'delete'>): Promise<null> {
      const bin = await places.own('bin');
      for (const path of paths) await put(path, bin);
      return null;
    },
    async entries(): Promise<FileOutput<'bin'>> {
      const bin = await places.ownIfThere('bin');
      const newest = (await ids(bin)).toSorted((a, b) => deletedMs(b) - deletedMs(a));
      const looked = await Promise.all(newest.slice(0, SHOWN).map((id) => readEntry(bin ?? '', id)));
      return { entries: looked.filter((entry) => entry !== null), more: newest.length > SHOWN };
    },
    async restore(input: FileInput<'restore'>): Promise<null> {
      const bin = await places.ownIfThere('bin');
      if (bin === null) throw new Refused('absent');
      for (const id of input.ids) await restore(bin, id);
      return null;
    },
    async empty(input: FileInput<'empty'>): Promise<null> {
      const bin = await places.ownIfThere('bin');
      for (const id of input.ids ?? (await ids(bin))) if (bin !== null) await removeWhole(join(bin, id));
      usage.forget();
      return null;
    },
    /** Deletes for good what has been in it for long. */
    async tidy(): Promise<void> {
      const bin = await places.ownIfThere('bin');
      for (const id of await ids(bin))
        if (bin !== null && now() - deletedMs(id) > BIN_DAYS * DAY) await removeWhole(join(bin, id));
    },
  };
}
