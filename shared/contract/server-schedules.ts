import * as z from 'zod/mini';
import { id, isoTime } from '../schemas/primitives.ts';
import { SCHEDULE_OUTCOMES, scheduleId, scheduleInput, shownStep, shownTiming } from '../schemas/server-schedules.ts';
import { group } from './endpoint.ts';

const params = z.object({ id });
const scheduleParams = z.object({ id, schedule: scheduleId });
const { name, enabled, only_online: onlyOnline } = scheduleInput.shape;
const schedule = z.object({
  id: z.string(),
  name,
  enabled,
  only_online: onlyOnline,
  timing: shownTiming,
  /** Whose clock its times are of: an IANA name, that of whoever saved it last. */
  time_zone: z.string(),
  steps: z.array(shownStep),
  /** Null while it is off. */
  next_at: z.nullable(isoTime),
  running: z.boolean(),
  /** The last run that is over: when it was due, how it ended, and at which of its steps, from 1, where it is about one. */
  last: z.nullable(z.object({ at: isoTime, outcome: z.enum(SCHEDULE_OUTCOMES), step: z.nullable(z.int()) })),
});
export type ServerSchedule = z.infer<typeof schedule>;

/** What any call about schedules may be refused with. */
const ERRORS = [
  'NOT_FOUND',
  'SERVER_SUSPENDED',
  'SERVER_NOT_READY',
  'NO_GAME_PROCESS',
  'SCHEDULES_UNAVAILABLE',
] as const;

/** Schedules of servers that run on this installation's node; those of other panels are in their panel. */
export const serverSchedules = group({
  list: {
    method: 'GET',
    path: '/api/servers/:id/schedules',
    summary: 'List the schedules of a server',
    params,
    access: 'signed-in',
    errors: ERRORS,
    response: z.object({ schedules: z.array(schedule), limit: z.int() }),
  },
  save: {
    method: 'PUT',
    path: '/api/servers/:id/schedules/:schedule',
    summary: 'Create or change a schedule of a server',
    description:
      'The id is yours: the same one again changes that schedule. Its times are of your time zone. A run that is ' +
      'under way ends with the step that is being carried out.',
    params: scheduleParams,
    body: scheduleInput,
    access: 'signed-in',
    errors: [...ERRORS, 'SCHEDULE_LIMIT', 'VALIDATION_FAILED'],
  },
  run: {
    method: 'POST',
    path: '/api/servers/:id/schedules/:schedule/run',
    summary: 'Run a schedule of a server now',
    params: scheduleParams,
    access: 'signed-in',
    limit: 'power',
    errors: [...ERRORS, 'SCHEDULE_NOT_FOUND', 'SCHEDULE_RUNNING'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/servers/:id/schedules/:schedule',
    summary: 'Delete a schedule of a server',
    params: scheduleParams,
    access: 'signed-in',
    errors: ERRORS,
  },
});
