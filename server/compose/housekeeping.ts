import type { ScheduledTask } from '../jobs/scheduler.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** How long stored answers of commands and finished jobs are kept. */
const KEEP_MS = 7 * DAY;

/** The tasks that throw away what nobody needs any more, where it belongs to no module in particular. */
export function housekeepingTasks({ uow, clock, counters }: Foundation): ScheduledTask[] {
  const purgeOld = (): Promise<void> =>
    uow.run(async (tx) => {
      const before = clock.now() - KEEP_MS;
      await tx.idempotency.purge(before);
      await tx.jobs.purge(before);
    });
  return [
    { name: 'housekeeping', everyMs: HOUR, run: purgeOld },
    // Once a day, as it reads the whole table.
    { name: 'counters.purge', everyMs: DAY, run: () => uow.run((tx) => counters.purge(tx)) },
  ];
}
