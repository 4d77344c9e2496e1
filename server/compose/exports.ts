import { toCsv } from '../api/csv.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createExports, type ExportsDeps } from '../modules/exports/index.ts';
import { zipFiles } from '../zip.ts';

/** Exports of users' data (behaviour 3.8), with their job and task. */
export function composeExports(deps: Omit<ExportsDeps, 'toCsv' | 'zip'>) {
  const exports = createExports({ ...deps, toCsv, zip: zipFiles });
  const tasks: ScheduledTask[] = [
    { name: 'accounts.export.purge', everyMs: exports.purgeEveryMs, run: () => exports.purge() },
  ];
  return { exports, tasks, jobs: exports.jobs };
}
