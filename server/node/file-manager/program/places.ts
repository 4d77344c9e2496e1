import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OWN_FOLDER, type FileRefusal } from '#shared/schemas/server-files.ts';

/** Thrown where a call cannot be carried out; it leaves as the answer. */
export class Refused extends Error {
  readonly reason: FileRefusal;
  constructor(reason: FileRefusal) {
    super(reason);
    this.reason = reason;
  }
}

const REASONS: Readonly<Record<string, FileRefusal>> = {
  ENOENT: 'absent',
  ENOTDIR: 'absent',
  ELOOP: 'absent',
  ENXIO: 'denied',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  EACCES: 'denied',
  EPERM: 'denied',
  EISDIR: 'denied',
  EINVAL: 'denied',
  EROFS: 'denied',
  EXDEV: 'denied',
  EMLINK: 'denied',
  EMFILE: 'denied',
  ENAMETOOLONG: 'denied',
  ETXTBSY: 'denied',
  EIO: 'denied',
};
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
/** Why the kernel did not do it; null: it is a fault of this program. */
export const refusalOf = (error: unknown): FileRefusal | null =>
  error instanceof Refused ? error.reason : (REASONS[codeOf(error)] ?? null);

/** What a file is at this moment. */
export const versionOf = ({ ino, mtimeNs, size }: BigIntStats): string => `${ino}.${mtimeNs}.${size}`;

export type Places = Awaited<ReturnType<typeof openPlaces>>;

/**
 * Where the files of a server are. What keeps them apart from the machine is the sandbox that this runs in, as the
 * server's own user: nothing else is there. That links are followed only within the folder is for clear answers.
 */
export async function openPlaces(folder: string) {
  const home = await realpath(folder);
  const own = join(home, OWN_FOLDER);
  const isInside = (path: string) =>
    (path === home || path.startsWith(`${home}/`)) && path !== own && !path.startsWith(`${own}/`);

  return {
    home,
    /** Where something is or shall be: its folder is looked up, it itself is not. */
    async at(path: string): Promise<string> {
      const parent = await realpath(dirname(join(home, path)));
      if (!isInside(parent)) throw new Refused('absent');
      const place = join(parent, basename(path));
      if (place === own) throw new Refused('absent');
      return place;
    },
    /** What a path leads to in the end, links included; '' is the folder itself. */
    async follow(path: string): Promise<string> {
      const place = await realpath(join(home, path));
      if (!isInside(place)) throw new Refused('absent');
      return place;
    },
    /** A folder of ours in the server's: whatever the server put in its place is not used. */
    async own(name: 'bin' | 'uploads' | 'fresh'): Promise<string> {
      const place = join(own, name);
      await mkdir(place, { recursive: true, mode: 0o700 });
      for (const each of [own, place]) if (!(await lstat(each)).isDirectory()) throw new Refused('denied');
      return place;
    },
    /** The same, where it is there; null where it is not. */
    async ownIfThere(name: 'bin' | 'uploads' | 'fresh'): Promise<string | null> {
      const place = join(own, name);
      return (await realpath(place).catch(() => null)) === place ? place : null;
    },
  };
}
/** A name that nothing has. */
export const freshName = (): string => randomUUID().replaceAll('-', '').slice(0, 12);
