import { constants } from 'node:fs';
import { lstat, open, rename, rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '#shared/time.ts';
import type { FileInput, FileOutput } from '#shared/schemas/server-files.ts';
import { removeWhole } from './bin.ts';
import { moveTo, type Tools } from './files.ts';
import { Refused } from './places.ts';

/** Neither follows a link nor waits for a pipe. */
const OPEN = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** An upload that nobody goes on with is forgotten after so long. */
const KEEP_MS = 2 * DAY;

const sizeOf = async (path: string): Promise<number> => {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? found.size : 0;
};

/** Uploads that come in parts: each is a file of our own folder until it is whole. */
export function openUploads({ places, usage }: Tools) {
  /** Parts of one upload come one after the other, also where a browser sends one again. */
  const turns = new Map<string, Promise<unknown>>();
  function inTurn<T>(upload: string, work: () => Promise<T>): Promise<T> {
    const mine = (turns.get(upload) ?? Promise.resolve()).catch(() => undefined).then(work);
    turns.set(upload, mine);
    const end = () => {
      if (turns.get(upload) === mine) turns.delete(upload);
    };
    mine.then(end, end);
    return mine;
  }
  const pathOf = async (upload: string) => join(await places.own('uploads'), upload);

  async function receive(
    { path, upload, at, size, replace }: FileInput<'receive'>,
    { bytes, limit }: { readonly bytes: Uint8Array; readonly limit: number },
  ): Promise<FileOutput<'receive'>> {
    const place = await places.at(path);
    const there = await lstat(place).catch(() => null);
    if (there && (!replace || !there.isFile())) throw new Refused('exists');
    const fresh = await pathOf(upload);
    const received = await sizeOf(fresh);
    if (at > received || at + bytes.length > size) throw new Refused('gap');
    // A part that came already is not written again: it may be the answer that was lost.
    if (at + bytes.length > received || size === 0) {
      // The first part is refused where the rest would not fit.
      await usage.take(bytes.length, limit, size - received);
      const file = await open(fresh, OPEN, 0o644);
      try {
        for (let done = 0; done < bytes.length;)
          done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
        if (at + bytes.length === size) await file.sync();
      } finally {
        await file.close();
      }
    }
    const now = Math.max(received, at + bytes.length);
    if (now < size) return { received: now, done: false };
    await (there ? rename(fresh, place) : moveTo(fresh, place));
    return { received: size, done: true };
  }
  return {
    received: async ({ upload }: FileInput<'received'>): Promise<FileOutput<'received'>> => ({
      received: await sizeOf(await pathOf(upload)),
    }),
    receive: (input: FileInput<'receive'>, data: Parameters<typeof receive>[1]) =>
      inTurn(input.upload, () => receive(input, data)),
    discard: ({ upload }: FileInput<'discard'>): Promise<null> =>
      inTurn(upload, async () => {
        await rm(await pathOf(upload), { force: true });
        usage.forget();
        return null;
      }),
    /** Forgets uploads and half-written texts that nobody goes on with. */
    async tidy(nowMs: number): Promise<void> {
      for (const name of ['uploads', 'fresh'] as const) {
        const folder = await places.ownIfThere(name);
        for (const file of folder === null ? [] : await readdir(folder)) {
          const path = join(folder ?? '', file);
          const found = await lstat(path);
          // A folder is of an archive that was being unpacked when the program before this one ended.
          if (found.isDirectory() || nowMs - found.mtimeMs > KEEP_MS) await removeWhole(path);
        }
      }
    },
  };
}
