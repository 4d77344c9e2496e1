/**
 * Why a backup is there: made by somebody, by the schedule, or by a restore, of what it replaces; or brought by
 * somebody.
 */
export const BACKUP_KINDS = ['manual', 'daily', 'safety', 'upload'] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];

/** What opens a backup: a key (its installation's, or the recovery key typed elsewhere), or a passphrase alone. */
export const BACKUP_LOCKS = ['key', 'passphrase'] as const;
export type BackupLock = (typeof BACKUP_LOCKS)[number];
/** Characters that a passphrase has at least: whoever has the file may guess as long as they like. */
export const PASSPHRASE_MIN = 12;

/**
 * Why a backup cannot be made, read or restored: `wrong_key` (another key or passphrase), `damaged` (cut off, changed,
 * or no backup), `newer` (of a later version of the program), `too_large` (holds far more than its size lets expect),
 * `ledger` (its balances do not fit its postings), `foreign_key` (APP_KEY of the environment is another one),
 * `disk_full`, `busy`, `stopped` (its process ended before it was done); of the storage elsewhere `remote_unset` (none
 * is named), `remote_refused` (it says no), `remote_missing` (it has no such backup), `remote_failed` (no whole
 * answer).
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
  'remote_unset',
  'remote_refused',
  'remote_missing',
  'remote_failed',
] as const;
export type BackupFaultCode = (typeof BACKUP_FAULTS)[number];

/** What is done with backups, one at a time; the last three are about the storage elsewhere. */
export const BACKUP_TASKS = ['create', 'verify', 'restore', 'send', 'fetch', 'removeRemote'] as const;
export type BackupTask = (typeof BACKUP_TASKS)[number];

/** How far a task is: a command's own steps, in the order in which they come. */
export const BACKUP_STEPS = ['begin', 'send', 'fetch', 'tables', 'rows', 'copy', 'replace'] as const;
export type BackupStep = (typeof BACKUP_STEPS)[number];

/** A file is uploaded in parts of so many bytes, so that it may be of any size, also behind a proxy. */
export const UPLOAD_PART_BYTES = 8 << 20;
