import { createHmac, hkdfSync } from 'node:crypto';
import type { Keyed } from './modules/abuse/index.ts';

/**
 * Keyed hashes under keys derived (HKDF-SHA256) from the installation's key, one a purpose. In: the installation's key,
 * 32 bytes or more.
 */
export function createKeyed(appKey: Uint8Array): Keyed {
  const keys = new Map<string, Buffer>();
  return {
    mac(purpose, text) {
      let key = keys.get(purpose);
      if (!key) {
        key = Buffer.from(hkdfSync('sha256', appKey, '', `spawnpoint keyed 1 ${purpose}`, 32));
        keys.set(purpose, key);
      }
      return createHmac('sha256', key).update(text).digest('base64url');
    },
  };
}
