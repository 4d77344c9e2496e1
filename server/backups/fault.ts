/**
 * Why a backup cannot be made, read or restored: `wrong_key` (another key or passphrase), `damaged` (cut off, changed,
 * or no backup), `newer` (of a later version of the program), `too_large` (holds far more than its size lets expect),
 * `ledger` (its balances do not fit its postings), `foreign_key` (APP_KEY of the environment is another one),
 * `disk_full`, `busy`, `stopped` (its process was ended), `storage` (the object store refused).
 */
export const BACKUP_FAULTS = [
  'wrong_key',
  'damaged',
  'newer',
  'too_large',
  'ledger',
  'foreign_key',
  'disk_full',
  'busy',
  'stopped',
  'storage',
] as const;
type BackupFaultCode = (typeof BACKUP_FAULTS)[number];

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

/** The fault for an error of reading or writing: a full disk in words, anything else as it is. */
export function toBackupFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return new BackupFault('disk_full', 'There is not enough room on the disk. Nothing was changed.');
  return error;
}
