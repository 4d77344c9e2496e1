import type { ScheduledTask } from '../jobs/scheduler.ts';
import { deleteInSlices } from '../modules/retention.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** How long stored answers of commands and finished jobs are kept. */
const KEEP_MS = 7 * DAY;

/** The tasks that throw away what nobody needs any more, where it belongs to no module in particular. */
export function housekeepingTasks({ uow, clock, counters, settings }: Foundation): ScheduledTask[] {
  const purgeOld = (): Promise<void> =>
    uow.run(async (tx) => {
      const before = clock.now() - KEEP_MS;
      await tx.idempotency.purge(before);
      await tx.jobs.purge(before);
    });
  const daysAgo = (days: number): number => clock.now() - days * DAY;
  return [
    {
      name: 'mails.purge',
      everyMs: DAY,
      run: () => deleteInSlices(uow, (tx, limit) => tx.mail.purge(daysAgo(settings.current().mail_days), limit)),
    },
    {
      name: 'queue.log.purge',
      everyMs: DAY,
      run: () =>
        deleteInSlices(uow, (tx, limit) => tx.servers.purgeSteps(daysAgo(settings.current().queue_log_days), limit)),
    },
    {
      name: 'servers.usage.purge',
      everyMs: DAY,
      run: () =>
        deleteInSlices(uow, (tx, limit) => tx.serverUsage.purge(daysAgo(settings.current().server_usage_days), limit)),
    },
    { name: 'housekeeping', everyMs: HOUR, run: purgeOld },
    // Once a day, as it reads the whole table.
    { name: 'counters.purge', everyMs: DAY, run: () => uow.run((tx) => counters.purge(tx)) },
  ];
}
