import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../env.ts';

/** Bytes of the key. */
const KEY_BYTES = 32;

type Place = Pick<Config, 'appKey' | 'dataDir'>;

/**
 * Where a key comes from: APP_KEY, the file in the data folder, the file of a first start that did not end; `none`:
 * there is no key.
 */
type KeySource = 'environment' | 'file' | 'unfinished' | 'none';

const keyPath = (dataDir: string) => join(dataDir, 'app.key');
/** A key that no database knows yet: a first start that is killed begins again with it. */
const unfinishedPath = (dataDir: string) => join(dataDir, 'app.key.new');

/** Where this installation's key comes from. */
export function keySource({ appKey, dataDir }: Place): KeySource {
  if (appKey !== null) return 'environment';
  if (existsSync(keyPath(dataDir))) return 'file';
  return existsSync(unfinishedPath(dataDir)) ? 'unfinished' : 'none';
}

/**
 * The installation's key for secrets at rest: APP_KEY, or the one in the data folder, readable by its owner only. Where
 * there is none, one is made; it counts as unfinished until `keepAppKey`. Losing it makes stored secrets unreadable, so
 * it belongs into a backup. Throws where the file is damaged.
 */
export function openAppKey(place: Place): Uint8Array {
  const source = keySource(place);
  if (source === 'environment') return keyOf(place.appKey ?? '', 'APP_KEY');
  const path = source === 'file' ? keyPath(place.dataDir) : unfinishedPath(place.dataDir);
  if (source === 'none') {
    mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
    // `wx`: of two processes that start at once one writes, the other reads.
    try {
      writeFileSync(path, `${Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString('base64')}\n`, {
        flag: 'wx',
        mode: 0o600,
      });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return keyOf(readFileSync(path, 'utf8').trim(), path);
}

/** The database knows the key: from now on it is the installation's. */
export function keepAppKey(place: Place): void {
  if (keySource(place) === 'unfinished') renameSync(unfinishedPath(place.dataDir), keyPath(place.dataDir));
}

function keyOf(text: string, name: string): Uint8Array {
  const key = new Uint8Array(Buffer.from(text, 'base64'));
  if (key.length < KEY_BYTES) throw new Error(`${name} holds no key of ${KEY_BYTES} bytes`);
  return key;
}
