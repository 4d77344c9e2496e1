import type { Ids } from '../kernel.ts';
import type { IdentityDeps } from './deps.ts';

/** Codes of a set (behaviour 3.5). */
const CODE_COUNT = 10;
/** Without letters and digits that look alike. 32 of them, so that a byte picks one evenly; ten make 50 bits. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 10;

/** Ten new recovery codes, as `K7Q2M-9XW4D`. */
export function generateRecoveryCodes(ids: Pick<Ids, 'token'>): string[] {
  return Array.from({ length: CODE_COUNT }, () => {
    const bytes = Buffer.from(ids.token(), 'base64url').subarray(0, CODE_LENGTH);
    const text = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return `${text.slice(0, CODE_LENGTH / 2)}-${text.slice(CODE_LENGTH / 2)}`;
  });
}

/** A typed code without spaces and dashes, in upper case. */
export function normalizeCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase();
}

type Keys = Pick<IdentityDeps, 'keyed'> & { readonly ids: Pick<Ids, 'hash'> };

/**
 * A recovery code (normalized) as stored: a hash under the installation's key, so that codes cannot be tested against a
 * copy of the database.
 */
export function hashRecoveryCode(deps: Keys, userId: string, plain: string): string {
  return toKeyedHash(deps, userId, deps.ids.hash(`recovery:${userId}:${plain}`));
}

/** The keyed hash for a plain SHA-256 of a recovery code. */
export function toKeyedHash({ keyed }: Pick<Keys, 'keyed'>, userId: string, hash: string): string {
  return `k1:${keyed.mac('recovery_code', `${userId}:${hash}`)}`;
}
