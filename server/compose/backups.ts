import { backupsFolder } from '../backups/create.ts';
import { createBackupFiles } from '../backups/files.ts';
import { createIncoming } from '../backups/incoming.ts';
import { createCopies, toRemoteBackups } from '../backups/remote/copies.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import {
  backupCheck,
  createBackups,
  newBackupState,
  type BackupState,
  type BackupWorker,
} from '../modules/backups/index.ts';
import { MINUTE } from '#shared/time.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** What a serving process has for backups, and keeps while its installation is replaced. */
export interface BackupTools {
  readonly worker: BackupWorker;
  readonly state: BackupState;
}
/** A command has no business with long tasks: it ends before they do. */
const NO_WORKER: BackupWorker = {
  create: refuse,
  verify: refuse,
  send: refuse,
  retrieve: refuse,
  stage: refuse,
  replace: refuse,
  count: refuse,
  stop: () => undefined,
};
function refuse() {
  return Promise.resolve({ fault: 'stopped', message: 'only a serving process does this' } as const);
}

/** Backups (behaviour 8.6): the page's service, the schedule of a serving process, and the health check. */
export function composeBackups(
  foundation: Foundation,
  { config, appKey, backups: tools }: Pick<ServiceDeps, 'config' | 'appKey' | 'backups'>,
) {
  const dataDir = config.dataDir ?? '.';
  const files = createBackupFiles(dataDir, appKey);
  const { settings, outbound } = foundation;
  const backupCopies = createCopies({ settings, fetch: outbound, folder: backupsFolder(dataDir) });
  const state = tools?.state ?? newBackupState();
  const backups = createBackups({
    ...foundation,
    files,
    incoming: createIncoming(backupsFolder(dataDir)),
    remote: toRemoteBackups(backupCopies),
    worker: tools?.worker ?? NO_WORKER,
    state,
  });
  const run = tools ? backups.runDaily : () => Promise.resolve();
  const tasks: ScheduledTask[] = [{ name: 'backups.daily', everyMs: 10 * MINUTE, run }];
  return { backups, backupCopies, tasks, checks: [backupCheck({ files, state, clock: foundation.clock })] };
}
