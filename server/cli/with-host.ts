import { openHost, type Host } from '#server/compose/host.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
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
  const host = await openHost({
    config,
    log,
    clock: systemClock,
    ids: systemIds,
    sample: false,
    key,
    ...(spawnReader ? { spawnReader } : {}),
  });
  try {
    await assertKey(config, host.database, key, words);
    return await work(host);
  } finally {
    await host.close();
    log.flush();
  }
}
