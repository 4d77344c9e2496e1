import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackupFiles } from '#server/modules/backups/index.ts';
import { backupsFolder } from './create.ts';
import { backupPath, deleteBackup, findBackup, listBackups, parseBackupId } from './folder.ts';
import { recoveryKeyOf } from './recovery-key.ts';

/** The folder of an installation's backups. In: its data folder and its key. */
export function createBackupFiles(dataDir: string, appKey: Uint8Array): BackupFiles {
  const folder = backupsFolder(dataDir);
  return {
    folder: resolve(folder),
    list: () => listBackups(folder),
    find: (id) => findBackup(folder, id),
    parse: parseBackupId,
    remove: (id) => deleteBackup(folder, id),
    read: (id) => (findBackup(folder, id) ? Bun.file(backupPath(folder, id)).stream() : null),
    freeBytes() {
      const { bavail, bsize } = statfsSync(dataDir);
      return bavail * bsize;
    },
    recoveryKey: () => recoveryKeyOf(appKey),
  };
}
