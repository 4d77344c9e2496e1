import { Cron } from 'croner';
import type { NextTime } from '#server/modules/servers/index.ts';
import { LAST_DAY, type ScheduleTiming } from '#shared/schemas/server-schedules.ts';

/** A time of a day as minute and hour, as cron has them. */
const at = (time: string): string => `${Number(time.slice(3))} ${Number(time.slice(0, 2))}`;

function patternOf(timing: ScheduleTiming): string {
  switch (timing.every) {
    case 'minutes':
      return `*/${timing.minutes} * * * *`;
    case 'hours':
      return `${timing.minute} */${timing.hours} * * *`;
    case 'day':
      return `${at(timing.time)} * * *`;
    case 'week':
      return `${at(timing.time)} * * ${timing.days.join()}`;
    case 'month':
      return `${at(timing.time)} ${timing.day === LAST_DAY ? 'L' : timing.day} * *`;
  }
}

/** The first moment after another at which a schedule comes round. */
export const nextTime: NextTime = (timing, timeZone, afterMs) => {
  const next = new Cron(patternOf(timing), { timezone: timeZone, paused: true }).nextRun(new Date(afterMs));
  if (!next) throw new Error('a schedule that comes round no more');
  return next.getTime();
};
