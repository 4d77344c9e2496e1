import type { ScheduledTask } from '../jobs/scheduler.ts';
import { deleteInSlices } from '../modules/retention.ts';
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
    // Once a day, as it reads the whole tables.
    {
      name: 'counters.purge',
      everyMs: DAY,
      run: () =>
        uow.run(async (tx) => {
          const before = dayIn(daysAgo(settings.current().counter_days), settings.current().app_timezone);
          await tx.counters.purge(before);
          await tx.gifts.purgeDays(before);
        }),
    },
  ];
}
