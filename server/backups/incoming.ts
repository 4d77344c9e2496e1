import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingFiles } from '#server/modules/uploads/index.ts';
import { partFile } from '#server/part-file.ts';
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
    received: (upload) => partFile(partPath(upload)).received(),
    async write(upload, { at, bytes, nowMs }) {
      prepareFolder(folder, nowMs);
      const file = partFile(partPath(upload));
      try {
        await file.write(at, bytes);
        return true;
      } catch (error) {
        await file.remove();
        if (toBackupFault(error) instanceof BackupFault) return false;
        throw error;
      }
    },
    async finish(upload, nowMs) {
      const file = partFile(partPath(upload));
      if ((await file.readBeginning(MAGIC.length)) !== MAGIC) {
        await file.remove();
        return null;
      }
      const id = newBackupId('upload', nowMs, upload.slice(0, 8));
      await rename(partPath(upload), backupPath(folder, id));
      syncPath(folder);
      return id;
    },
  };
}
