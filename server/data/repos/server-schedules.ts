import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow, insertRow, listRows, lockRow, updateRow } from '#server/data/row.ts';
import type { DB, ServerSchedules } from '#server/data/schema.ts';
import type { ScheduleRun, ServerSchedule, ServerSchedulesRepo } from '#server/modules/servers/schedules/ports.ts';
import { SCHEDULE_OUTCOMES, type ScheduleStep, type ScheduleTiming } from '#shared/schemas/server-schedules.ts';

// What stands in the columns of JSON was written here.
function toSchedule(row: Selectable<ServerSchedules>): ServerSchedule {
  const outcome = SCHEDULE_OUTCOMES.find((word) => word === row.last_outcome);
  return {
    id: row.id,
    serverId: row.server_id,
    name: row.name,
    enabled: row.enabled === 1,
    onlyOnline: row.only_online === 1,
    timing: JSON.parse(row.timing) as ScheduleTiming,
    timeZone: row.time_zone,
    steps: JSON.parse(row.steps) as ScheduleStep[],
    nextMs: row.next_ms,
    run: row.run === null ? null : (JSON.parse(row.run) as ScheduleRun),
    last: outcome === undefined || row.last_ms === null ? null : { atMs: row.last_ms, outcome, step: row.last_step },
    createdMs: row.created_ms,
  };
}

const toRow = (schedule: ServerSchedule): Insertable<ServerSchedules> => ({
  id: schedule.id,
  server_id: schedule.serverId,
  name: schedule.name,
  enabled: schedule.enabled ? 1 : 0,
  only_online: schedule.onlyOnline ? 1 : 0,
  timing: JSON.stringify(schedule.timing),
  time_zone: schedule.timeZone,
  steps: JSON.stringify(schedule.steps),
  next_ms: schedule.nextMs,
  run: schedule.run === null ? null : JSON.stringify(schedule.run),
  last_ms: schedule.last?.atMs ?? null,
  last_outcome: schedule.last?.outcome ?? null,
  last_step: schedule.last?.step ?? null,
  created_ms: schedule.createdMs,
});

/** Schedules of servers, in the database. */
export function createServerSchedulesRepo(db: Kysely<DB>, raw: Raw): ServerSchedulesRepo {
  return {
    async list(serverId) {
      return (await listRows(raw, 'server_schedules', { server_id: serverId }, 'created_ms')).map(toSchedule);
    },
    async find(id) {
      const row = await findRow(raw, 'server_schedules', { id });
      return row ? toSchedule(row) : null;
    },
    async lock(id) {
      const row = await lockRow(raw, 'server_schedules', { id });
      return row ? toSchedule(row) : null;
    },
    async add(schedule) {
      await insertRow(raw, 'server_schedules', toRow(schedule));
    },
    async update(schedule) {
      await updateRow(raw, 'server_schedules', toRow(schedule), { id: schedule.id });
    },
    async remove(id) {
      await db.deleteFrom('server_schedules').where('id', '=', id).execute();
    },
    async removeAllOf(serverId) {
      await db.deleteFrom('server_schedules').where('server_id', '=', serverId).execute();
    },
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom('server_schedules')
        .select('id')
        .where('next_ms', '<=', nowMs)
        .orderBy('next_ms')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
