import { createBackupFiles } from '../backups/files.ts';
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
  stage: refuse,
  replace: refuse,
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
  const files = createBackupFiles(config.dataDir ?? '.', appKey);
  const backups = createBackups({
    ...foundation,
    files,
    worker: tools?.worker ?? NO_WORKER,
    state: tools?.state ?? newBackupState(),
  });
  const run = tools ? backups.runDaily : () => Promise.resolve();
  const tasks: ScheduledTask[] = [{ name: 'backups.daily', everyMs: 10 * MINUTE, run }];
  return { backups, tasks, checks: [backupCheck({ files, clock: foundation.clock })] };
}
