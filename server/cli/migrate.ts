import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { databasePlace } from '#server/start/database-place.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { assertKey } from '#server/start/installation.ts';
import { assertPresence } from '#server/start/presence.ts';
import type { CommandContext } from './run.ts';

/** `spawnpoint migrate`: brings the database up to date and names what was applied. */
export async function migrate(config: Config, _argv: readonly string[], { words }: CommandContext): Promise<number> {
  await assertPresence(config, true, words);
  const key = openAppKey(config);
  const log = createLog(config.logLevel, systemClock.now);
  const database = openDatabase({ ...databasePlace(config), bus: createBus(log), log });
  try {
    const applied = await database.migrate(systemClock.now());
    await assertKey(config, database, key, words);
    console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'));
  } finally {
    await database.close();
  }
  return 0;
}
