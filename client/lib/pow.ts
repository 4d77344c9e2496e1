/** A proof-of-work challenge as the server makes it (ALTCHA, version 2, PBKDF2). */
interface Challenge {
  readonly parameters: {
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
  };
}
/** More tries than any of our challenges needs. */
const MAX_TRIES = 1_000_000;

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Solves a challenge: tries counters from 0 on until the key derived from nonce and counter begins as the challenge
 * says. In: the challenge as JSON. Out: challenge and solution as the server takes them back (base64 of JSON). Runs in
 * a worker; throws where nothing fits.
 */
export async function solveChallenge(text: string): Promise<string> {
  const challenge = JSON.parse(text) as Challenge;
  const { nonce, salt: saltHex, cost: iterations, keyLength, keyPrefix } = challenge.parameters;
  const salt = bytesOf(saltHex);
  const start = bytesOf(nonce);
  const password = new Uint8Array(start.length + 4);
  password.set(start);
  const view = new DataView(password.buffer);
  for (let counter = 0; counter < MAX_TRIES; counter += 1) {
    view.setUint32(start.length, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const derivedKey = hexOf(
      new Uint8Array(
        await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, key, keyLength * 8),
      ),
    );
    if (derivedKey.startsWith(keyPrefix)) return btoa(JSON.stringify({ challenge, solution: { counter, derivedKey } }));
  }
  throw new Error('no counter solves the challenge');
}
