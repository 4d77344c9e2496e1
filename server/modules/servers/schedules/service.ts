import { DomainError } from '#shared/errors.ts';
import { MOST_SCHEDULES, type ScheduleInput } from '#shared/schemas/server-schedules.ts';
import { writeAudit } from '../../audit/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from '../core/ports.ts';
import { accessTo, REFUSALS, targetOf } from '../live/index.ts';
import type { SchedulesDeps } from './deps.ts';
import type { ServerSchedule } from './ports.ts';
import { begin, beginDue, isUnderWay } from './runs.ts';
import { runStep } from './steps.ts';

/** Schedules of servers that run here: what is done with one by itself, and when. */
export function createSchedules(deps: SchedulesDeps) {
  const { uow, clock } = deps;

  /**
   * A server of the caller's that may have schedules. Throws NOT_FOUND, SERVER_SUSPENDED, SERVER_NOT_READY,
   * NO_GAME_PROCESS, SCHEDULES_UNAVAILABLE.
   */
  async function serverOf(ctx: SignedIn, id: string): Promise<ServerRow> {
    const { server } = await accessTo(deps, ctx, id, 'owner');
    const target = targetOf(deps, server);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    if (!deps.panels.find(target.panel)?.console) throw new DomainError('SCHEDULES_UNAVAILABLE');
    return server;
  }
  /** A schedule of the server, locked; null where it has none of that id. */
  async function lockOf(tx: Tx, server: ServerRow, id: string): Promise<ServerSchedule | null> {
    const schedule = await tx.serverSchedules.lock(id);
    return schedule?.serverId === server.id ? schedule : null;
  }
  /** What staff read of it; not its commands, which may hold passwords. */
  const note = (tx: Tx, ctx: SignedIn, server: ServerRow, did: 'save' | 'run' | 'delete', schedule: { name: string }) =>
    writeAudit(tx, deps, ctx, { action: 'servers.schedule', target: server.id, after: { did, name: schedule.name } });

  return {
    /** Schedules of a server of the caller's, the oldest first. Throws as `serverOf` does. */
    async list(ctx: SignedIn, id: string): Promise<readonly ServerSchedule[]> {
      const server = await serverOf(ctx, id);
      const all = await uow.read((tx) => tx.serverSchedules.list(server.id));
      return all.map((each) => (isUnderWay(each.run, clock.now()) ? each : { ...each, run: null }));
    },
    /**
     * Makes a schedule, or changes the one of that id; a run of it that is under way takes no further step. Its times
     * are of the caller's time zone. Throws as `serverOf` does, SCHEDULE_LIMIT, and NOT_FOUND where the id is another
     * server's.
     */
    async save(ctx: SignedIn, id: string, scheduleId: string, input: ScheduleInput): Promise<void> {
      const server = await serverOf(ctx, id);
      const timeZone = ctx.actor.timeZone ?? deps.settings.current().app_timezone;
      await uow.run(async (tx) => {
        // One at a time for a server, so that its number holds, and none for one that is going.
        if ((await tx.servers.lock(server.id))?.state !== 'active') throw new DomainError('SERVER_NOT_READY');
        const nowMs = clock.now();
        const { only_online: onlyOnline, ...rest } = input;
        const nextMs = input.enabled ? deps.nextTime(input.timing, timeZone, nowMs) : null;
        const known = await tx.serverSchedules.lock(scheduleId);
        if (known && known.serverId !== server.id) throw new DomainError('NOT_FOUND');
        const changed = { id: scheduleId, serverId: server.id, ...rest, onlyOnline, timeZone, nextMs, run: null };
        if (known) await tx.serverSchedules.update({ ...known, ...changed });
        else {
          if ((await tx.serverSchedules.list(server.id)).length >= MOST_SCHEDULES)
            throw new DomainError('SCHEDULE_LIMIT');
          await tx.serverSchedules.add({ ...changed, last: null, createdMs: nowMs });
        }
        await note(tx, ctx, server, 'save', input);
      });
    },
    /** Runs it once, whether it is on or off. Throws as `serverOf` does, SCHEDULE_NOT_FOUND, SCHEDULE_RUNNING. */
    async run(ctx: SignedIn, id: string, scheduleId: string): Promise<void> {
      const server = await serverOf(ctx, id);
      await uow.run(async (tx) => {
        const schedule = await lockOf(tx, server, scheduleId);
        if (!schedule) throw new DomainError('SCHEDULE_NOT_FOUND');
        const nowMs = clock.now();
        if (isUnderWay(schedule.run, nowMs)) throw new DomainError('SCHEDULE_RUNNING');
        await begin(deps, tx, schedule, nowMs);
        await note(tx, ctx, server, 'run', schedule);
      });
    },
    /** Deletes it; one that is not there is gone. Throws as `serverOf` does. */
    async remove(ctx: SignedIn, id: string, scheduleId: string): Promise<void> {
      const server = await serverOf(ctx, id);
      await uow.run(async (tx) => {
        const schedule = await lockOf(tx, server, scheduleId);
        if (!schedule) return;
        await tx.serverSchedules.remove(scheduleId);
        await note(tx, ctx, server, 'delete', schedule);
      });
    },
    /** For the scheduler: begins the runs that are due. Out: how many. */
    beginDue: () => beginDue(deps),
    /** For the queue: carries out a step of a run, unless that was done before. */
    runStep: (place: { readonly scheduleId: string; readonly runId: string; readonly step: number }) =>
      runStep(deps, place),
  };
}
