import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { UnsealResult, Sealer } from './modules/kernel.ts';

const CIPHER = 'aes-256-gcm';
/** Bytes: AES-256 key; nonce and tag of GCM; name of the key. */
const KEY = 32;
const NONCE = 12;
const TAG = 16;
const NAME = 6;

/** `sealed:1:<name of the key>:<nonce, text and tag>`, the last two base64url. */
const FORM = /^sealed:1:([\w-]+):([\w-]+)$/;

/**
 * Secrets at rest: AES-256-GCM under keys derived (HKDF-SHA256) from the installation's key, one a purpose. Purpose and
 * place are authenticated with the text, so that a sealed text does not open in another row. In: the installation's
 * key, 32 bytes or more.
 */
export function createSealer(appKey: Uint8Array): Sealer {
  const keys = new Map<string, { key: Buffer; name: string }>();
  function keyOf(purpose: string) {
    let found = keys.get(purpose);
    if (!found) {
      const bytes = Buffer.from(hkdfSync('sha256', appKey, '', `spawnpoint sealing 1 ${purpose}`, KEY + NAME));
      // The name tells a foreign key from damage; it says nothing about the key.
      found = { key: bytes.subarray(0, KEY), name: bytes.subarray(KEY).toString('base64url') };
      keys.set(purpose, found);
    }
    return found;
  }
  const bound = (purpose: string, place: string) => Buffer.from(JSON.stringify([purpose, place]));

  return {
    seal(purpose, place, text) {
      const { key, name } = keyOf(purpose);
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bound(purpose, place));
      const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `sealed:1:${name}:${body.toString('base64url')}`;
    },
    open(purpose, place, sealed): UnsealResult {
      const [, name, body = ''] = FORM.exec(sealed) ?? [];
      if (name === undefined) return { fault: 'not_sealed' };
      const { key, name: own } = keyOf(purpose);
      if (name !== own) return { fault: 'foreign_key' };
      const bytes = Buffer.from(body, 'base64url');
      if (bytes.length < NONCE + TAG) return { fault: 'damaged' };
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE))
          .setAAD(bound(purpose, place))
          .setAuthTag(bytes.subarray(-TAG));
        return {
          text: Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8'),
        };
      } catch {
        return { fault: 'damaged' };
      }
    },
  };
}
