import type { BackupFaultCode } from '#shared/backups.ts';

/** A backup that cannot be made, read or restored; the message says why, for the person at the command line. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
  readonly code: BackupFaultCode;
  constructor(code: BackupFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const damaged = (what: string) =>
  new BackupFault('damaged', `The file is damaged or is no backup of Spawnpoint: ${what}. Nothing was changed.`);

/** What systems and SQLite say where a file cannot become larger: a full disk, a quota, the bound of a file. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'];

/** The fault for an error of reading or writing: a full disk in words, anything else as it is. */
export function toBackupFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (typeof code === 'string' && NO_ROOM.includes(code))
    return new BackupFault('disk_full', 'There is not enough room on the disk. Nothing was changed.');
  return error;
}
