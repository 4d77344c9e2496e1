import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './env.ts';

/** Bytes of the key. */
const KEY_BYTES = 32;

/**
 * The installation's key for secrets at rest: APP_KEY, or the one kept in the data folder (`app.key`, readable by its owner only), which
 * is made at the first start. Losing it makes stored secrets unreadable, so it belongs into a backup. Throws where the file is damaged.
 */
export function appKey({ appKey: given, dataDir }: Pick<Config, 'appKey' | 'dataDir'>): Uint8Array {
  const path = join(dataDir, 'app.key');
  let text = given;
  if (text === null) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(path)) {
      // `wx`: of two processes that start at once one writes, the other reads.
      try {
        writeFileSync(path, `${Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
      chmodSync(path, 0o600);
    }
    text = readFileSync(path, 'utf8').trim();
  }
  const key = new Uint8Array(Buffer.from(text, 'base64'));
  if (key.length < KEY_BYTES) throw new Error(`${given === null ? path : 'APP_KEY'} holds no key of ${KEY_BYTES} bytes`);
  return key;
}
