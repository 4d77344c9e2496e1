import type { Ids } from '../kernel.ts';

/** behaviour 3.5: ten of them. */
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

/** What is hashed of a recovery code: the same code of two users is kept differently. */
export function codeHash(userId: string, plain: string): string {
  return `recovery:${userId}:${plain}`;
}
