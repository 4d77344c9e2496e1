import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomBytes } from 'node:crypto';
import { syncPath } from '../create.ts';
import { BackupFault, toBackupFault } from '../fault.ts';
import { backupPath, findBackup, parseBackupId, prepareFolder } from '../folder.ts';
import type { S3Deps, S3Place } from './request.ts';
import { createS3, s3PlaceOf, type S3 } from './s3.ts';
import type { Outcome, RemoteBackup, RemoteBackups } from '#server/modules/backups/index.ts';
import type { SettingValues } from '#shared/settings.ts';

interface Deps extends Pick<S3Deps, 'fetch' | 'pausesMs' | 'timeoutMs'> {
  readonly settings: { current(): SettingValues };
  /** The folder of the backups here. */
  readonly folder: string;
}
/** What a copy is about: the backup, the time, and how far it is. */
interface Copying {
  readonly nowMs: number;
  readonly onBytes?: (done: number, all: number) => void;
}

/** What takes a moment is not waited for longer than that. */
const BRIEF = { pausesMs: [500], timeoutMs: 10_000 };
const keyOf = (place: S3Place, id: string): string => `${place.prefix}${id}.age`;

/** The backups in the storage that the settings name. A name of it counts where it is that of a backup. */
export function createCopies({ settings, folder, ...s3 }: Deps) {
  const place = () => s3PlaceOf(settings.current());
  /** Asks the storage. Throws BackupFault `remote_unset` where none is named. */
  async function withStorage<T>(work: (storage: S3, at: S3Place) => Promise<T>, bounds = {}): Promise<T> {
    const at = place();
    if (!at) throw new BackupFault('remote_unset', 'No storage is set: see the settings that begin with backup_s3_.');
    return work(createS3({ ...bounds, ...s3, place: at }), at);
  }

  const list = (): Promise<readonly RemoteBackup[]> =>
    withStorage(
      async (storage, { prefix }) =>
        (await storage.list())
          .flatMap(({ key, bytes }) => {
            const id = key.endsWith('.age') && key.startsWith(prefix) ? key.slice(prefix.length, -'.age'.length) : '';
            const parsed = parseBackupId(id);
            return parsed ? [{ id, ...parsed, bytes }] : [];
          })
          .toSorted((a, b) => b.atMs - a.atMs),
      BRIEF,
    );

  return {
    list,
    /** Sends a backup of the folder; nothing where it is there already. Throws BackupFault. */
    send: (id: string, { onBytes }: Copying): Promise<void> =>
      withStorage(async (storage, at) => {
        const path = backupPath(folder, id);
        const { size } = await stat(path);
        const key = keyOf(at, id);
        if ((await storage.find(key))?.bytes === size) return;
        const file = await open(path, 'r');
        try {
          const read = async (from: number, length: number) => {
            const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from);
            if (bytesRead !== length) throw new BackupFault('damaged', `${basename(path)} became shorter meanwhile.`);
            return buffer;
          };
          await storage.send(key, { bytes: size, read }, (sent) => onBytes?.(sent, size));
        } finally {
          await file.close();
        }
      }),
    /**
     * Fetches a backup into the folder, where it has its name once it is whole and on the disk; nothing where it is
     * there already. Throws BackupFault.
     */
    fetch: (id: string, { nowMs, onBytes }: Copying): Promise<void> =>
      withStorage(async (storage, at) => {
        const path = backupPath(folder, id);
        prepareFolder(folder, nowMs);
        if (findBackup(folder, id)) return;
        const key = keyOf(at, id);
        const all = (await storage.find(key))?.bytes ?? 0;
        const part = `${path}.${randomBytes(4).toString('hex')}.part`;
        try {
          const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
          await pipeline(
            counted(storage.read(key), (done) => onBytes?.(done, all)),
            file,
          );
          await rename(part, path);
          syncPath(folder);
        } catch (error) {
          await rm(part, { force: true });
          throw toBackupFault(error);
        }
      }),
    /** Deletes a backup there. Throws BackupFault. */
    remove: (id: string): Promise<void> =>
      withStorage((storage, at) => {
        if (!parseBackupId(id)) throw new RangeError('not the id of a backup');
        return storage.remove(keyOf(at, id));
      }, BRIEF),
    /** Where it is, for people; null: none is named. */
    place(): string | null {
      const at = place();
      return at && `${at.endpoint}/${at.bucket}/${at.prefix}`;
    },
    /**
     * Tries everything that backups need of it: sends a small object, finds it in the list, reads and deletes it. In:
     * its name. Out: where. Throws BackupFault.
     */
    test: (name: string): Promise<string> => withStorage((storage, at) => tryStorage(storage, at, name), BRIEF),
  };
}
export type Copies = ReturnType<typeof createCopies>;

async function tryStorage(storage: S3, at: S3Place, name: string): Promise<string> {
  const key = `${at.prefix}spawnpoint-test-${name}`;
  await sendTest(storage, key, name, async (bytes) =>
    (await storage.list()).some((each) => each.key === key && each.bytes === bytes),
  );
  return `${at.endpoint}/${at.bucket}`;
}

/**
 * Tries everything that images need of their storage: sends a small object, finds, reads and deletes it. Their bucket
 * may hold too many to list. In: the name of the object. Out: where. Throws BackupFault.
 */
export async function tryImageStorage({ settings, ...s3 }: Omit<Deps, 'folder'>, name: string): Promise<string> {
  const at = s3PlaceOf(settings.current(), 'image');
  if (!at) throw new BackupFault('remote_unset', 'No storage is set: see the settings that begin with image_s3_.');
  const storage = createS3({ ...BRIEF, ...s3, place: at });
  const key = `${at.prefix}spawnpoint-test-${name}`;
  await sendTest(storage, key, name, async (bytes) => (await storage.find(key))?.bytes === bytes);
  return `${at.endpoint}/${at.bucket}`;
}

/** Sends a small object, reads and deletes it. In: whether it is there with so many bytes. Throws BackupFault. */
async function sendTest(
  storage: S3,
  key: string,
  name: string,
  isThere: (bytes: number) => Promise<boolean>,
): Promise<void> {
  const text = new TextEncoder().encode(`A test of Spawnpoint: ${name}`);
  await storage.send(key, { bytes: text.byteLength, read: () => Promise.resolve(text) });
  try {
    if (!(await isThere(text.byteLength))) throw new BackupFault('remote_failed', 'What was sent cannot be found.');
    for await (const bytes of storage.read(key))
      if (!Buffer.from(bytes).equals(text)) throw new BackupFault('remote_failed', 'It gives back something else.');
  } finally {
    await storage.remove(key);
  }
}

/** Copies for the services: what goes wrong is an outcome. */
export function toRemoteBackups(copies: Copies): RemoteBackups {
  return {
    place: copies.place,
    list: () => outcomeOf(copies.list()),
    remove: (id) => outcomeOf(copies.remove(id)),
  };
}

async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work };
  } catch (error) {
    return error instanceof BackupFault
      ? { fault: error.code, message: error.message }
      : { fault: 'stopped', message: String(error) };
  }
}

/** Passes bytes on and says how many there were. */
async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const bytes of source) {
    yield bytes;
    done += bytes.byteLength;
    onBytes(done);
  }
}
