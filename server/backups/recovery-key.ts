import { hkdfSync } from 'node:crypto';
import { bech32 } from '@scure/base';

/**
 * The recovery key of an installation: the secret key of age (`AGE-SECRET-KEY-1…`) that opens its backups. It is
 * derived from the installation's key, so there is nothing more to keep or to lose, and every process has the same
 * one.
 */
export function recoveryKeyOf(appKey: Uint8Array): string {
  const bytes = new Uint8Array(hkdfSync('sha256', appKey, '', 'spawnpoint recovery key 1', 32));
  return bech32.encodeFromBytes('AGE-SECRET-KEY-', bytes).toUpperCase();
}
