import { MINUTE } from '#shared/time.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { NewJob } from './ports.ts';

export type { Closed, LeasedJob, NewJob, Schedule } from './ports.ts';

/**
 * How far apart the clocks of the machines of an installation may be: what is further away in time than it can be, by
 * more than this, is of a clock that was set back.
 */
export const CLOCKS_APART_MS = MINUTE;

/**
 * Adds a job in the running transaction (transactional outbox): it exists if and only if the change does. Has the
 * runner poll after the commit (topic `jobs`). A second unfinished job of the same unique key is ignored; one that is
 * running just then runs once more.
 */
export async function enqueue(tx: Tx, ids: Ids, clock: Clock, job: NewJob): Promise<void> {
  await tx.jobs.add({ ...job, id: job.id ?? ids.uuid(), createdMs: clock.now() });
  tx.touch('jobs');
}
