import { isBackupId } from '#server/backups/folder.ts';
import type { Config } from '#server/env.ts';
import { systemClock } from '#server/kernel.ts';
import type { Call } from './backup.ts';
import { progressOf } from './backup-steps.ts';
import { withHost } from './with-host.ts';

/** `spawnpoint backup send ID`: copies a backup of the folder into the storage that the settings name. */
export const sendCommand = (config: Config, call: Call): Promise<number> => copy(config, call, 'send');
/** `spawnpoint backup fetch ID`: copies one from there into the folder. */
export const fetchCommand = (config: Config, call: Call): Promise<number> => copy(config, call, 'fetch');

async function copy(config: Config, { id, options, terminal, context }: Call, way: 'send' | 'fetch'): Promise<number> {
  if (!isBackupId(id)) {
    terminal.err(`${JSON.stringify(id.slice(0, 100))} is not the id of a backup.`);
    return 1;
  }
  const progress = progressOf(terminal, options);
  return withHost(config, context, async ({ services }) => {
    const onBytes = (done: number, all: number) => progress(way, done, all);
    await services.backupCopies[way](id, { nowMs: systemClock.now(), onBytes });
    terminal.out(options.json ? JSON.stringify({ done: { id } }) : `${id}: ${way === 'send' ? 'sent' : 'fetched'}`);
    return 0;
  });
}

/** `spawnpoint backup remote`: lists the backups in the storage. */
export function remoteCommand(config: Config, { terminal, context }: Call): Promise<number> {
  return withHost(config, context, async ({ services }) => {
    for (const { id, bytes } of await services.backupCopies.list())
      terminal.out(`${id}  ${(bytes / 1e6).toFixed(1)} MB`);
    return 0;
  });
}
