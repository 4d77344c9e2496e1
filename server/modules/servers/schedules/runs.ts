import type { ScheduleOutcome } from '#shared/schemas/server-schedules.ts';
import { GOOD_OUTCOMES } from '#shared/schemas/server-schedules.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import type { SchedulesDeps } from './deps.ts';
import type { ScheduleRun, ServerSchedule } from './ports.ts';

/** A run, or a step, that comes later than this because nobody was there to carry it out is left out. */
export const LATE_MS = 5 * MINUTE;
/** How often, and how long, a step is tried that surely was not carried out. */
export const RETRY_MS = 15 * SECOND;
export const RETRIES_MS = 5 * MINUTE;
/** A run whose step was due so long ago has no job any more. */
const LOST_MS = HOUR;
/** Schedules that are looked up at once. */
const BATCH = 100;

/** Whether a run goes on. */
export const isUnderWay = (run: ScheduleRun | null, nowMs: number): run is ScheduleRun =>
  run !== null && nowMs - run.dueMs < LOST_MS;

/** Begins a run, in the transaction that has the schedule locked. In: when it was due. */
export async function begin(deps: SchedulesDeps, tx: Tx, schedule: ServerSchedule, atMs: number): Promise<void> {
  const run = { id: deps.ids.uuid(), atMs, step: 0, dueMs: deps.clock.now(), begun: false, unconfirmed: null };
  await tx.serverSchedules.update({ ...schedule, run });
  await deps.jobs.enqueueScheduleStep(tx, { scheduleId: schedule.id, runId: run.id, step: 0 }, run.dueMs);
}

/**
 * Ends a run, in the transaction that has the schedule locked: the schedule keeps its outcome, and the history of the
 * server a fault that is new. In: when it was due, and the step that its end is about.
 */
export async function end(
  deps: SchedulesDeps,
  tx: Tx,
  schedule: ServerSchedule,
  last: { readonly atMs: number; readonly outcome: ScheduleOutcome; readonly step: number | null },
): Promise<void> {
  await tx.serverSchedules.update({ ...schedule, run: null, last });
  const server = await tx.servers.find(schedule.serverId);
  if (!server) return;
  const isNews = !GOOD_OUTCOMES.includes(last.outcome) && schedule.last?.outcome !== last.outcome;
  if (isNews) await deps.history.record(tx, server, 'scheduleFailed', schedule.name);
  else tx.touch(`servers:${server.userId}`);
}

/** Begins the run of a schedule that is due, and sets its next. Two that do it at once begin one. */
async function beginOne(deps: SchedulesDeps, tx: Tx, id: string): Promise<void> {
  const nowMs = deps.clock.now();
  const found = await tx.serverSchedules.lock(id);
  if (!found || found.nextMs === null || found.nextMs > nowMs) return;
  const atMs = found.nextMs;
  const schedule = { ...found, nextMs: deps.nextTime(found.timing, found.timeZone, nowMs) };
  // One that takes longer than its time comes round goes on alone.
  if (isUnderWay(found.run, nowMs)) return tx.serverSchedules.update(schedule);
  const server = await tx.servers.find(found.serverId);
  if (server?.state !== 'active') return end(deps, tx, schedule, { atMs, outcome: 'inactive', step: null });
  if (nowMs - atMs > LATE_MS) return end(deps, tx, schedule, { atMs, outcome: 'missed', step: null });
  return begin(deps, tx, schedule, atMs);
}

/** Begins the runs of all schedules that are due. Time that was slept through begins none. Out: how many were due. */
export async function beginDue(deps: SchedulesDeps): Promise<number> {
  let count = 0;
  for (;;) {
    const ids = await deps.uow.read((tx) => tx.serverSchedules.listDue(deps.clock.now(), BATCH));
    for (const id of ids) await deps.uow.run((tx) => beginOne(deps, tx, id));
    count += ids.length;
    if (ids.length < BATCH) return count;
  }
}
