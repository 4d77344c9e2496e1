import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createDeletion, type DeletionDeps } from '../modules/deletion/index.ts';

/** Deleting accounts (behaviour 3.8), with its job and its task. */
export function composeDeletion(deps: DeletionDeps) {
  const deletion = createDeletion(deps);
  const tasks: ScheduledTask[] = [{ name: 'accounts.delete', everyMs: 10 * MINUTE, run: () => deletion.enqueueDue() }];
  return { deletion, tasks, jobs: deletion.jobs };
}
