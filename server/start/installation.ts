import { hkdfSync } from 'node:crypto';
import { resolve } from 'node:path';
import type { Database } from '../data/open.ts';
import { bindKey, readKeyBinding } from '../data/key-binding.ts';
import type { Config } from '../env.ts';
import { keepAppKey, keySource } from './app-key.ts';
import { type StartFlags } from './presence.ts';
import { StartError } from './start-error.ts';

/** A name of a key: it tells two keys apart and nothing about either. */
function keyNameOf(appKey: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', appKey, '', 'spawnpoint key name 1', 9)).toString('base64url');
}

/**
 * Holds the key against the database, which from its first start on knows the one it belongs to. In: the configuration,
 * a database that is up to date, the key, and the operator's words. Throws StartError where they do not belong
 * together; then nothing is changed.
 */
export async function assertKey(
  config: Config,
  database: Pick<Database, 'read' | 'write'>,
  appKey: Uint8Array,
  words: StartFlags,
): Promise<void> {
  const name = keyNameOf(appKey);
  const binding = await readKeyBinding(database, name);
  const source = keySource(config);
  if (binding === 'another' && !words.newKey) {
    const where = source === 'environment' ? 'APP_KEY' : resolve(config.dataDir, 'app.key');
    throw new StartError(
      `${where} is not the key of this database: passwords of panels, payments and mail cannot be read with it, and who was paid once would be forgotten.\n` +
        'Put the right key back. If it is lost for good, add --new-key and enter the secrets again.',
    );
  }
  if (binding === 'none' && source === 'file' && !words.isNew) {
    throw new StartError(
      `${resolve(config.dataDir)} has an app.key, but the database beside it is empty: nobody has an account there. Is it another one than before?\n` +
        'Put the database back, or add --new to begin a new installation with this key.',
    );
  }
  if (binding !== 'bound') await bindKey(database, name);
  keepAppKey(config);
}
