/** 32 letters and digits that are not confused when read aloud (Crockford's base 32): 5 bits each. */
const READABLE_CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A random readable code: 42 characters of 5 bits, one for each character of a random base64url token of 32 bytes (its
 * last one has only 4 bits).
 */
export function readableCode(token: string): string {
  return Array.from(token.slice(0, 42), (sign) => READABLE_CHARACTERS[BASE64URL.indexOf(sign) % 32] ?? '0').join('');
}

/** Eight readable characters from the lowest 40 bits of a non-negative number. */
export function eightCharacterCode(bits: bigint): string {
  return Array.from({ length: 8 }, (_, at) => READABLE_CHARACTERS[Number((bits >> BigInt(5 * at)) & 31n)] ?? '0').join(
    '',
  );
}
