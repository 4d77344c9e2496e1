/** 32 letters and digits that are not mistaken for each other when read aloud (Crockford's base 32): 5 bits each. */
const READABLE_CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Random signs, 5 bits each, one for each of a random token in base64url: 42, as the last sign of 32 bytes has 4 bits
 * only.
 */
export function readableCode(token: string): string {
  return Array.from(token.slice(0, 42), (sign) => READABLE_CHARACTERS[BASE64URL.indexOf(sign) % 32] ?? '0').join('');
}

/** Eight signs from the lowest 40 bits of a number that is not below zero. */
export function eightCharacterCode(bits: bigint): string {
  return Array.from({ length: 8 }, (_, at) => READABLE_CHARACTERS[Number((bits >> BigInt(5 * at)) & 31n)] ?? '0').join(
    '',
  );
}
