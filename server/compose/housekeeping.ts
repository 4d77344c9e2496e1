import type { ScheduledTask } from '../jobs/scheduler.ts';
import { deleteInSlices, walkInSlices } from '../modules/retention.ts';
import { DAY, dayIn, HOUR } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** The tasks that throw away what nobody needs any more, where it belongs to no module in particular. */
export function housekeepingTasks({ uow, clock, settings }: Foundation): ScheduledTask[] {
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
    {
      name: 'housekeeping',
      everyMs: HOUR,
      async run() {
        const { stored_answer_days: answerDays, finished_job_days: jobDays } = settings.current();
        await deleteInSlices(uow, (tx, limit) => tx.idempotency.purge(daysAgo(answerDays), limit));
        await deleteInSlices(uow, (tx, limit) => tx.jobs.purge(daysAgo(jobDays), limit));
      },
    },
    {
      name: 'counters.purge',
      everyMs: DAY,
      async run() {
        const before = dayIn(daysAgo(settings.current().counter_days), settings.current().app_timezone);
        await deleteInSlices(uow, (tx, limit) => tx.counters.purge(before, limit));
        await walkInSlices(uow, (tx, afterUserId, limit) => tx.gifts.purgeDays(before, afterUserId, limit));
      },
    },
  ];
}
