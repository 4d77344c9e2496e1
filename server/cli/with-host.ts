import { openHost, type Host } from '#server/compose/host.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { databasePlace } from '#server/start/database-place.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { assertKey } from '#server/start/installation.ts';
import { assertPresence } from '#server/start/presence.ts';
import type { CommandContext } from './run.ts';

/** What commands need to open an installation: long reads run on the answering thread where no reader is given. */
export type Context = Pick<CommandContext, 'words'> & Partial<CommandContext>;

/** Opens the installation for one command, without worker and scheduler, and closes it again. */
export async function withHost(
  config: Config,
  { words, spawnReader }: Context,
  work: (host: Host) => Promise<number>,
): Promise<number> {
  const log = createLog('warn', systemClock.now);
  await assertPresence(config, false, words);
  const key = openAppKey(config);
  const bus = createBus(log);
  const host = await openHost({
    config,
    log,
    bus,
    // A server may run on the same file: its players come first.
    database: openDatabase({ ...databasePlace(config), bus, log, spawnReader, yields: true }),
    clock: systemClock,
    ids: systemIds,
    sample: false,
    key,
  });
  try {
    await assertKey(config, host.database, key, words);
    return await work(host);
  } finally {
    await host.close();
    log.flush();
  }
}
