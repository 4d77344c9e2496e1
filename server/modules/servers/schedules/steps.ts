import { MOST_SERVER_BACKUPS } from '#shared/schemas/server-backups.ts';
import type { ScheduleOutcome, ScheduleStep } from '#shared/schemas/server-schedules.ts';
import { SECOND } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from '../core/ports.ts';
import { problemOf, targetOf } from '../live/index.ts';
import type { PanelAnswer } from '../panel/ports.ts';
import type { SchedulesDeps } from './deps.ts';
import type { ScheduleRun, ServerSchedule } from './ports.ts';
import { end, LATE_MS, RETRIES_MS, RETRY_MS } from './runs.ts';

/** A run that is under way, with its server. */
interface Place {
  readonly schedule: ServerSchedule;
  readonly run: ScheduleRun;
  readonly step: ScheduleStep;
  readonly server: ServerRow;
}
/** What became of a step: `again` was surely not carried out, and would end the run with that outcome. */
type Result =
  | { readonly did: 'done' }
  | { readonly did: 'unconfirmed' }
  | { readonly did: 'again' | 'over'; readonly outcome: ScheduleOutcome };
interface StepName {
  readonly scheduleId: string;
  readonly runId: string;
  readonly step: number;
}

/** Done a second time after its end was not written, these change nothing. */
const isRepeatable = ({ action }: ScheduleStep): boolean => action !== 'restart' && action !== 'command';

/** The step of a run, where it is still the one that is next. */
async function placeOf(tx: Tx, { scheduleId, runId, step: index }: StepName, lock: boolean): Promise<Place | null> {
  const schedule = await (lock ? tx.serverSchedules.lock(scheduleId) : tx.serverSchedules.find(scheduleId));
  const run = schedule?.run;
  const step = schedule?.steps[index];
  if (!schedule || run?.id !== runId || run.step !== index || !step) return null;
  const server = await tx.servers.find(schedule.serverId);
  return server ? { schedule, run, step, server } : null;
}

const endAt = (deps: SchedulesDeps, tx: Tx, { schedule, run }: Place, outcome: ScheduleOutcome, step: number | null) =>
  end(deps, tx, schedule, { atMs: run.atMs, outcome, step });

/** Goes on to the next step, or ends the run. */
async function advanceRun(deps: SchedulesDeps, tx: Tx, place: Place, isConfirmed: boolean): Promise<void> {
  const { schedule, run } = place;
  const unconfirmed = run.unconfirmed ?? (isConfirmed ? null : run.step);
  const next = schedule.steps[run.step + 1];
  if (!next) return endAt(deps, tx, place, unconfirmed === null ? 'done' : 'unconfirmed', unconfirmed);
  const step = run.step + 1;
  const dueMs = deps.clock.now() + next.pause_s * SECOND;
  await tx.serverSchedules.update({ ...schedule, run: { ...run, step, dueMs, begun: false, unconfirmed } });
  await deps.jobs.enqueueScheduleStep(tx, { scheduleId: schedule.id, runId: run.id, step }, dueMs);
}

function resultOf(answer: PanelAnswer<unknown>, ifConflict: ScheduleOutcome): Result {
  switch (answer.outcome) {
    case 'ok':
      return { did: 'done' };
    case 'unknown':
      return { did: 'unconfirmed' };
    case 'conflict':
      return { did: 'again', outcome: ifConflict };
    case 'unavailable':
      return { did: 'again', outcome: 'unreachable' };
    case 'not_found':
      return { did: 'over', outcome: 'refused' };
    case 'refused':
      if (problemOf(answer) === 'busy') return { did: 'again', outcome: ifConflict };
      return { did: 'over', outcome: answer.reason === 'limit' ? 'backup_limit' : 'refused' };
  }
}

/** Has the panel carry out a step. Never throws for what the panel says. */
async function carryOut(deps: SchedulesDeps, { schedule, run, step, server }: Place): Promise<Result> {
  const target = targetOf(deps, server);
  if (typeof target === 'string') return { did: 'over', outcome: 'inactive' };
  const { panel, identifier } = target;
  const away = { outcome: 'unavailable' } as const;
  const { action, command } = step;
  switch (action) {
    case 'command':
      return resultOf(
        await deps.callPanel(panel, 'command', async (at) => (await at.console?.send(identifier, command)) ?? away),
        'off',
      );
    case 'backup': {
      const most = Math.min(server.resources.backups, MOST_SERVER_BACKUPS);
      const input = { backup: run.id, name: schedule.name, most, rotate: true };
      return resultOf(
        await deps.callPanel<unknown>(
          panel,
          'backup',
          async (at) => (await at.backups?.(identifier, 'make', input)) ?? away,
        ),
        'busy',
      );
    }
    default:
      return resultOf(await deps.callPanel(panel, 'power', (at) => at.power(identifier, action)), 'busy');
  }
}

/** Whether the server runs. An answer that says neither is tried again. */
async function checkOnline(deps: SchedulesDeps, { server }: Place): Promise<Result> {
  const target = targetOf(deps, server);
  if (typeof target === 'string') return { did: 'over', outcome: 'inactive' };
  const answer = await deps.callPanel(target.panel, 'usage', (at) => at.usage(target.identifier));
  if (answer.outcome === 'unknown') return { did: 'again', outcome: 'unreachable' };
  if (answer.outcome !== 'ok') return resultOf(answer, 'busy');
  const isOnline = answer.value.power === 'running' || answer.value.power === 'starting';
  return isOnline ? { did: 'done' } : { did: 'over', outcome: 'offline' };
}

/** Writes down what became of a step, unless the schedule has changed meanwhile. */
async function recordResult(deps: SchedulesDeps, name: StepName, result: Result): Promise<void> {
  await deps.uow.run(async (tx) => {
    const place = await placeOf(tx, name, true);
    if (!place) return;
    const { schedule, run } = place;
    if (result.did === 'done' || result.did === 'unconfirmed')
      return advanceRun(deps, tx, place, result.did === 'done');
    const nowMs = deps.clock.now();
    if (result.did === 'over' || nowMs - run.dueMs >= RETRIES_MS)
      return endAt(deps, tx, place, result.outcome, result.outcome === 'offline' ? null : run.step);
    await tx.serverSchedules.update({ ...schedule, run: { ...run, begun: false } });
    await deps.jobs.enqueueScheduleStep(tx, name, nowMs + RETRY_MS);
  });
}

/**
 * Writes down that a step is about to be carried out. Out: the place; null where it is not to be, because it was, or
 * the run is over or ends here.
 */
function claim(deps: SchedulesDeps, name: StepName): Promise<Place | null> {
  return deps.uow.run(async (tx) => {
    const place = await placeOf(tx, name, true);
    if (!place) return null;
    const { schedule, run, step, server } = place;
    if (server.state !== 'active') await endAt(deps, tx, place, 'inactive', run.step);
    // It was begun, and whoever did it was killed before writing its end.
    else if (run.begun && !isRepeatable(step)) await advanceRun(deps, tx, place, false);
    else if (!run.begun && deps.clock.now() - run.dueMs > LATE_MS + RETRIES_MS)
      await endAt(deps, tx, place, 'missed', run.step);
    else {
      await tx.serverSchedules.update({ ...schedule, run: { ...run, begun: true } });
      return place;
    }
    return null;
  });
}

/**
 * Carries out a step of a run. What the panel is asked stands in the row before: after a kill a command or a restart is
 * not repeated but counted as unconfirmed, the others are repeated, for they change nothing the second time.
 */
export async function runStep(deps: SchedulesDeps, name: StepName): Promise<void> {
  const first = await deps.uow.read((tx) => placeOf(tx, name, false));
  if (!first) return;
  if (first.schedule.onlyOnline && name.step === 0 && !first.run.begun) {
    const online = await checkOnline(deps, first);
    if (online.did !== 'done') return recordResult(deps, name, online);
  }
  const place = await claim(deps, name);
  if (place) await recordResult(deps, name, await carryOut(deps, place));
}
