import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingFiles } from '#server/modules/backups/index.ts';
import { syncPath } from './create.ts';
import { BackupFault, toBackupFault } from './fault.ts';
import { backupPath, listBackups, newBackupId, prepareFolder } from './folder.ts';

/** How a file of age begins. */
const MAGIC = 'age-encryption.org/v1\n';

/**
 * Files that a browser sends in parts. Each is a file of its own beside the backups and gets the name of one once it is
 * whole; what nobody goes on with is thrown away with what killed processes left. In: the folder of backups.
 */
export function createIncoming(folder: string): IncomingFiles {
  const partPath = (upload: string) => join(folder, `spawnpoint-upload-${upload}.part`);

  return {
    find: (upload) => listBackups(folder).find(({ id }) => id.endsWith(`-upload-${upload.slice(0, 8)}`))?.id ?? null,
    async received(upload) {
      const found = await stat(partPath(upload)).catch(() => null);
      return found?.size ?? 0;
    },
    async write(upload, { at, bytes, nowMs }) {
      prepareFolder(folder, nowMs);
      try {
        const file = await open(partPath(upload), at === 0 ? 'w' : 'r+', 0o600);
        try {
          // By its place: a part that is sent twice is written once.
          for (let done = 0; done < bytes.byteLength;)
            done += (await file.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
        } finally {
          await file.close();
        }
        return true;
      } catch (error) {
        await rm(partPath(upload), { force: true });
        if (toBackupFault(error) instanceof BackupFault) return false;
        throw error;
      }
    },
    async finish(upload, nowMs) {
      const part = partPath(upload);
      const file = await open(part, 'r');
      try {
        const { buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
        if (buffer.toString('latin1') !== MAGIC) {
          await rm(part, { force: true });
          return null;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      const id = newBackupId('upload', nowMs, upload.slice(0, 8));
      await rename(part, backupPath(folder, id));
      syncPath(folder);
      return id;
    },
  };
}
