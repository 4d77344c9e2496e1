import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { databasePlace } from '#server/compose.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';

/** `spawnpoint migrate`: brings the database up to date and names what was applied. */
export async function migrate(config: Config): Promise<number> {
  const log = createLog(config.logLevel, systemClock.now);
  const database = openDatabase({ ...databasePlace(config), bus: createBus(log), log });
  const applied = await database.migrate(systemClock.now());
  await database.close();
  console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'));
  return 0;
}
