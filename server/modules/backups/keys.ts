import { PASSPHRASE_MIN } from '#shared/backups.ts';
import { fieldError } from '#shared/errors.ts';
import type { StoredBackup } from './ports.ts';

/** Whether somebody typed a recovery key, and not a passphrase. */
export const isRecoveryKey = (text: string): boolean => /^\s*AGE-SECRET-KEY-1/i.test(text);

/**
 * Asserts that a passphrase can lock a backup. What looks like a recovery key would be taken for one when it is typed
 * again. Throws VALIDATION_FAILED at `passphrase`.
 */
export function assertPassphrase(passphrase: string): void {
  if (passphrase.length < PASSPHRASE_MIN) throw fieldError('passphrase', 'TOO_SHORT');
  if (isRecoveryKey(passphrase)) throw fieldError('passphrase', 'INVALID');
}

/** Asserts that the passphrase was typed where a backup opens with nothing else. Throws VALIDATION_FAILED at `key`. */
export function assertKeyGiven(backup: Pick<StoredBackup, 'lock'> | null, key: string | undefined): void {
  if (backup?.lock === 'passphrase' && key === undefined) throw fieldError('key', 'REQUIRED');
}
