import * as z from 'zod/mini';
import { line, wholeNumber } from './primitives.ts';

/** Longest name of a schedule, and longest command of a step, in characters. */
export const SCHEDULE_NAME = 60;
export const SCHEDULE_COMMAND = 1000;
/** Schedules of one server, and steps of one of them. */
export const MOST_SCHEDULES = 10;
export const MOST_SCHEDULE_STEPS = 10;
/** Longest pause before a step, seconds. */
const SCHEDULE_PAUSE_S = 3600;
/** The day of a month that means its last. */
export const LAST_DAY = 31;

/** How often a schedule comes round (`live:schedules.every.<word>`). */
export const SCHEDULE_EVERY = ['minutes', 'hours', 'day', 'week', 'month'] as const;
export const SCHEDULE_MINUTES = [15, 30] as const;
/** Parts of a day, so that each day has the same hours. */
export const SCHEDULE_HOURS = [1, 2, 3, 4, 6, 8, 12] as const;
/** What a step does (`live:schedules.action.<word>`). */
export const SCHEDULE_ACTIONS = ['start', 'stop', 'restart', 'command', 'backup'] as const;
export type ScheduleAction = (typeof SCHEDULE_ACTIONS)[number];

/** How a run ended (`live:schedules.outcome.<word>`). */
export const SCHEDULE_OUTCOMES = [
  'done',
  /** Nobody answered one of its steps: it may have been carried out, and the run went on. */
  'unconfirmed',
  /** The server did not run, and the schedule is for when it does. */
  'offline',
  /** The product did not run when it, or its next step, was due. */
  'missed',
  /** The server was suspended, or is not there yet. */
  'inactive',
  /** A command had nobody to read it. */
  'off',
  /** Something else was done with the server for too long. */
  'busy',
  'unreachable',
  'refused',
  /** Every backup that the server may have is locked, or it may have none. */
  'backup_limit',
] as const;
export type ScheduleOutcome = (typeof SCHEDULE_OUTCOMES)[number];
/** Outcomes after which nothing is wrong. */
export const GOOD_OUTCOMES: readonly ScheduleOutcome[] = ['done', 'offline', 'inactive'];

/** A time of a day, `HH:MM`. */
const time = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'INVALID'));
const weekday = wholeNumber(1, 7);
const oneOfNumbers = (numbers: readonly number[]) =>
  z.int('NOT_WHOLE').check(z.refine((value) => numbers.includes(value), 'INVALID'));

/** Kinds of timing: what each is told by. */
const TIMINGS = {
  minutes: { every: z.literal('minutes'), minutes: oneOfNumbers(SCHEDULE_MINUTES) },
  /** At this minute of every so many hours, counted from midnight. */
  hours: { every: z.literal('hours'), hours: oneOfNumbers(SCHEDULE_HOURS), minute: wholeNumber(0, 59) },
  day: { every: z.literal('day'), time },
  week: {
    every: z.literal('week'),
    days: z.array(weekday).check(
      z.minLength(1, 'REQUIRED'),
      z.maxLength(7, 'TOO_LARGE'),
      z.refine((days) => new Set(days).size === days.length, 'INVALID'),
    ),
    time,
  },
  /** 1 to 28, or LAST_DAY for the last one. */
  month: {
    every: z.literal('month'),
    day: z.int('NOT_WHOLE').check(z.refine((day) => (day >= 1 && day <= 28) || day === LAST_DAY, 'INVALID')),
    time,
  },
};

/** When a schedule comes round, on the clock of its time zone. Days of a week: 1 is Monday. */
const scheduleTiming = z.discriminatedUnion('every', [
  z.strictObject(TIMINGS.minutes),
  z.strictObject(TIMINGS.hours),
  z.strictObject(TIMINGS.day),
  z.strictObject(TIMINGS.week),
  z.strictObject(TIMINGS.month),
]);
/** The same in an answer, of which nothing else gets out. */
export const shownTiming = z.discriminatedUnion('every', [
  z.object(TIMINGS.minutes),
  z.object(TIMINGS.hours),
  z.object(TIMINGS.day),
  z.object(TIMINGS.week),
  z.object(TIMINGS.month),
]);
export type ScheduleTiming = z.infer<typeof scheduleTiming>;

const STEP = {
  action: z.enum(SCHEDULE_ACTIONS),
  command: line(0, SCHEDULE_COMMAND),
  pause_s: wholeNumber(0, SCHEDULE_PAUSE_S),
};
/** A step in an answer. */
export const shownStep = z.object(STEP);
/** A step, and how long it waits after the one before it. `command` is for commands alone. */
const step = z.strictObject(STEP).check(
  z.refine(({ action, command }) => action !== 'command' || command !== '', { error: 'REQUIRED', path: ['command'] }),
  z.refine(({ action, command }) => action === 'command' || command === '', { error: 'INVALID', path: ['command'] }),
);
export type ScheduleStep = z.infer<typeof step>;

/** The id of a schedule, made by whoever makes it: saving it twice makes one. */
export { serverBackupId as scheduleId } from './server-backups.ts';
/** What a schedule is saved as. */
export const scheduleInput = z.strictObject({
  name: line(1, SCHEDULE_NAME),
  enabled: z.boolean(),
  only_online: z.boolean(),
  timing: scheduleTiming,
  steps: z.array(step).check(
    z.minLength(1, 'REQUIRED'),
    z.maxLength(MOST_SCHEDULE_STEPS, 'TOO_LARGE'),
    // A backup has the id of its run, which is how none is made twice.
    z.refine((steps) => steps.filter(({ action }) => action === 'backup').length <= 1, 'INVALID'),
  ),
});
export type ScheduleInput = z.infer<typeof scheduleInput>;
