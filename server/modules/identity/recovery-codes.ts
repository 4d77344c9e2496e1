import type { Ids } from '../kernel.ts';
import type { IdentityDeps } from './deps.ts';

/** Behaviour 3.5: ten of them. */
const CODES = 10;
/** Without letters and digits that look alike. 32 of them, so that a byte picks one evenly: ten make 50 bits. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 10;

/** Ten new recovery codes, as `K7Q2M-9XW4D`. */
export function recoveryCodes(ids: Pick<Ids, 'token'>): string[] {
  return Array.from({ length: CODES }, () => {
    const bytes = Buffer.from(ids.token(), 'base64url').subarray(0, LENGTH);
    const text = [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('');
    return `${text.slice(0, LENGTH / 2)}-${text.slice(LENGTH / 2)}`;
  });
}

/** A code as it was typed, without spaces, dashes and case. */
export function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase();
}

type Keys = Pick<IdentityDeps, 'keyed'> & { readonly ids: Pick<Ids, 'hash'> };

/**
 * What is kept of a recovery code: a hash under the installation's key, so that a copy of the database is no list to
 * try codes against.
 */
export function keyedCode(deps: Keys, userId: string, plain: string): string {
  return keyedHash(deps, userId, deps.ids.hash(`recovery:${userId}:${plain}`));
}

/** The same of the hash that was kept before there was a key for it. */
export function keyedHash({ keyed }: Pick<Keys, 'keyed'>, userId: string, hash: string): string {
  return `k1:${keyed.mac('recovery_code', `${userId}:${hash}`)}`;
}
