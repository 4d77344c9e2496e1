import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSnapshot } from '#server/data/backup/snapshot.ts';
import type { InstallationFigures } from '#server/modules/backups/index.ts';
import type { BackupKind } from '#shared/backups.ts';
import { VERSION } from '#server/version.ts';
import { sealFile, type Lock } from './container.ts';
import { countUploads, writeContent, type FileCounts } from './content.ts';
import { toBackupFault } from './fault.ts';
import { backupPath, newBackupId, prepareFolder, writeFacts } from './folder.ts';

/** Where an installation lies. */
export interface InstallationPlace {
  readonly dataDir: string;
  readonly database: { readonly url: string } | { readonly path: string };
  /** The key of secrets at rest, which goes into the backup. */
  readonly appKey: Uint8Array;
}

interface Options {
  readonly kind: BackupKind;
  readonly lock: Lock;
  readonly nowMs: number;
  readonly onTable?: (done: number, all: number) => void;
}

/** The folder of an installation's backups, and that of its uploads. */
export const backupsFolder = (dataDir: string): string => join(dataDir, 'backups');
export const uploadsFolder = (dataDir: string): string => join(dataDir, 'uploads');

/**
 * Makes a backup of one moment of an installation that may be in use. It stands under its name once it is whole and on
 * the disk; who is killed before leaves nothing that counts as one. Out: its id, size and what it holds. Throws
 * BackupFault `disk_full`.
 */
export async function createBackup(
  { dataDir, database, appKey }: InstallationPlace,
  { kind, lock, nowMs, onTable }: Options,
): Promise<{ id: string; bytes: number; figures: InstallationFigures }> {
  const folder = backupsFolder(dataDir);
  prepareFolder(folder, nowMs);
  const id = newBackupId(kind, nowMs);
  const path = backupPath(folder, id);
  const part = `${path}.part`;
  const snapshot = await openSnapshot(database);
  try {
    const counts = await snapshot.counts();
    const held: { uploads?: FileCounts } = {};
    const content = writeContent({
      snapshot,
      appKey,
      uploads: uploadsFolder(dataDir),
      version: VERSION,
      nowMs,
      ...(onTable ? { onTable } : {}),
    });
    const bytes = await sealFile(part, withUploads(content, held), lock);
    const uploads = held.uploads ?? { files: 0, fileBytes: 0 };
    const figures = { madeMs: nowMs, version: VERSION, dialect: snapshot.dialect, ...counts, ...uploads };
    renameSync(part, path);
    syncPath(folder);
    writeFacts(folder, id, { figures, verified: null });
    return { id, bytes, figures };
  } catch (error) {
    rmSync(part, { force: true });
    throw toBackupFault(error);
  } finally {
    await snapshot.close();
  }
}

/** Passes blocks on, and keeps what the generator returns at its end. */
async function* withUploads(
  content: AsyncGenerator<Buffer, FileCounts>,
  held: { uploads?: FileCounts },
): AsyncGenerator<Buffer> {
  held.uploads = yield* content;
}

/** What an installation holds now, that may be in use. In: where it lies, and the time. */
export async function countInstallation(
  { dataDir, database }: Omit<InstallationPlace, 'appKey'>,
  nowMs: number,
): Promise<InstallationFigures> {
  const snapshot = await openSnapshot(database);
  try {
    const { dialect } = snapshot;
    const uploads = await countUploads(uploadsFolder(dataDir));
    return { madeMs: nowMs, version: VERSION, dialect, ...(await snapshot.counts()), ...uploads };
  } finally {
    await snapshot.close();
  }
}

/** Brings a file, or the names in a folder, to the disk. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
