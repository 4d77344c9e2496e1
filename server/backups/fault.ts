import { DomainError } from '#shared/errors.ts';
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

/** The fault for an error of reading or writing: a disk that is full or broken in words, anything else as it is. */
export function toBackupFault(error: unknown): unknown {
  // Visitors see one code for whatever a database cannot do; its reason is the cause.
  const reason = error instanceof DomainError ? error.cause : error;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  if (code.startsWith('SQLITE_IOERR'))
    return new BackupFault('stopped', `The disk cannot be read or written (${code}). Nothing was changed.`);
  if (NO_ROOM.includes(code))
    return new BackupFault('disk_full', 'There is not enough room on the disk. Nothing was changed.');
  return error;
}
