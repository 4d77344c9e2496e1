import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';

/** Bytes of a key, and of the nonce that a sealed text begins with. */
const KEY_BYTES = 32;
const NONCE_BYTES = 24;

/**
 * Opens what MythicalDash 4 seals: base64 of nonce, text and tag by XChaCha20-Poly1305, the nonce authenticated with
 * it. Out: null where the key is absent or another one, or it is no sealed text.
 */
export function openSealed(key: Uint8Array | null, sealed: string): string | null {
  if (key?.byteLength !== KEY_BYTES) return null;
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.byteLength <= NONCE_BYTES) return null;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  try {
    const clear = xchacha20poly1305(key, nonce, nonce).decrypt(bytes.subarray(NONCE_BYTES));
    return new TextDecoder('utf-8', { fatal: true }).decode(clear);
  } catch {
    return null;
  }
}
