import { readBounded } from './abuse/body.ts';
import type { FeedSource } from './modules/updates/ports.ts';
import type { Outbound } from './outbound.ts';
import { FEED_CONTEXT } from '#shared/updates.ts';

/** How long the whole answer may take, and the bytes of it that are read. */
const TIMEOUT_MS = 10_000;
const BODY_MAX = 64 * 1024;
/** Bytes of a public key, and of a signature (RFC 8032). */
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The feed of releases over the network: bounded, without redirects, and nothing about this installation is sent. */
export function createFeedSource(outbound: Outbound, timeoutMs = TIMEOUT_MS): FeedSource {
  return {
    async load(url) {
      try {
        const response = await outbound(url, {
          headers: { 'User-Agent': 'Spawnpoint', Accept: 'application/json' },
          signal: AbortSignal.timeout(timeoutMs),
        });
        return response.status === 200 ? await readBounded(response, BODY_MAX) : null;
      } catch {
        return null;
      }
    },
    async isSigned(publicKey, signature, text) {
      const [key, bytes] = [toBytes(publicKey, KEY_BYTES), toBytes(signature, SIGNATURE_BYTES)];
      if (!key || !bytes) return false;
      try {
        const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
        return await crypto.subtle.verify('Ed25519', imported, bytes, new TextEncoder().encode(FEED_CONTEXT + text));
      } catch {
        // Bytes that are no point of the curve.
        return false;
      }
    },
  };
}

/** Base64 as so many bytes; null where it is none of them. */
function toBytes(base64: string, length: number): Uint8Array<ArrayBuffer> | null {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length && bytes.toString('base64') === base64 ? new Uint8Array(bytes) : null;
}
