import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { serverSchedules as contract } from '#shared/contract/server-schedules.ts';
import { MOST_SCHEDULES } from '#shared/schemas/server-schedules.ts';
import { iso } from '#shared/time.ts';

/** Schedules of servers: what a player has done by itself. */
export function serverSchedulesHandlers({
  servers: { schedules },
}: {
  readonly servers: Pick<Servers, 'schedules'>;
}): Handlers<typeof contract> {
  return {
    async list(ctx, { params }) {
      const all = await schedules.list(ctx, params.id);
      return {
        schedules: all.map(({ id, name, enabled, onlyOnline, timing, timeZone, steps, nextMs, run, last }) => ({
          id,
          name,
          enabled,
          only_online: onlyOnline,
          timing,
          time_zone: timeZone,
          steps: [...steps],
          next_at: nextMs === null ? null : iso(nextMs),
          running: run !== null,
          last: last && { at: iso(last.atMs), outcome: last.outcome, step: last.step === null ? null : last.step + 1 },
        })),
        limit: MOST_SCHEDULES,
      };
    },
    async save(ctx, { params, body }) {
      await schedules.save(ctx, params.id, params.schedule, body);
    },
    async run(ctx, { params }) {
      await schedules.run(ctx, params.id, params.schedule);
    },
    async remove(ctx, { params }) {
      await schedules.remove(ctx, params.id, params.schedule);
    },
  };
}
