import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import { insertRows, updateRow } from '#server/data/row.ts';
import type { DB, ServerDebts, ServerQueue } from '#server/data/schema.ts';
import type {
  ReminderKind,
  QueueEntryChange,
  QueueEntry,
  ServerDebt,
  ServersRepo,
} from '#server/modules/servers/core/ports.ts';
import { QUEUE_STATES } from '#shared/schemas/server.ts';

export const toEntry = (row: Selectable<ServerQueue>): QueueEntry => ({
  id: row.id,
  serverId: row.server_id,
  userId: row.user_id,
  state: QUEUE_STATES.find((state) => state === row.state) ?? 'failed',
  priority: row.priority,
  attempts: row.attempts,
  lastError: row.last_error,
  createdMs: row.created_ms,
  startedMs: row.started_ms,
  doneMs: row.done_ms,
  waitingSinceMs: row.waiting_since_ms,
});

const COLUMNS = {
  state: 'state',
  priority: 'priority',
  attempts: 'attempts',
  lastError: 'last_error',
  startedMs: 'started_ms',
  doneMs: 'done_ms',
  waitingSinceMs: 'waiting_since_ms',
} as const satisfies Record<keyof QueueEntryChange, keyof ServerQueue>;

function columnsOf(change: QueueEntryChange): Partial<ServerQueue> {
  const set = Object.entries(COLUMNS)
    .map(([field, column]) => [column, change[field as keyof QueueEntryChange]] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<ServerQueue>;
}

/** Outages that cover an entry's server, which stands at no other panel and node than the one it has a place at. */
const covered = (row: string, more: string) =>
  `EXISTS (SELECT 1 FROM servers v JOIN panel_outages o ON o.panel = COALESCE(v.panel, '') AND (o.node = '' OR o.node = v.panel_node) WHERE v.id = ${row}.server_id${more})`;
/**
 * Users who wait, found by skipping from one to the next: it costs as many steps as there are users, however many
 * entries they have. The last row is null.
 */
const USERS = `WITH RECURSIVE u (user_id) AS (
    SELECT (SELECT MIN(user_id) FROM server_queue WHERE state = 'queued')
    UNION ALL SELECT (SELECT MIN(w.user_id) FROM server_queue w WHERE w.state = 'queued' AND w.user_id > u.user_id) FROM u WHERE u.user_id IS NOT NULL
  )`;
/**
 * Entries that have waited for what is away since before a moment: those that were tried, from then on; the others
 * since they were asked for, or it went away.
 */
const TOO_LONG = `SELECT q.* FROM server_queue q WHERE q.state = 'queued' AND (
    (q.waiting_since_ms <= ? AND ${covered('q', '')}) OR (q.waiting_since_ms IS NULL AND q.created_ms <= ? AND ${covered('q', ' AND o.since_ms <= ?')})
  ) ORDER BY q.created_ms, q.id LIMIT ?`;
type EntriesPart = Pick<
  ServersRepo,
  'listOverdueEntries' | 'addQueueEntry' | 'listNewestEntries' | 'listWaitingUsers' | 'countEntries' | 'listBuildTimes'
>;

/** Entries of the queue as they are asked for. */
function entriesPart(db: Kysely<DB>, raw: Raw): EntriesPart {
  const of = () => db.selectFrom('server_queue').selectAll();
  return {
    async addQueueEntry(entry) {
      await db
        .insertInto('server_queue')
        .values({
          id: entry.id,
          server_id: entry.serverId,
          user_id: entry.userId,
          state: entry.state,
          priority: entry.priority,
          attempts: entry.attempts,
          last_error: entry.lastError,
          created_ms: entry.createdMs,
          started_ms: entry.startedMs,
          done_ms: entry.doneMs,
          waiting_since_ms: entry.waitingSinceMs,
        })
        .execute();
    },
    async listNewestEntries(serverIds) {
      if (serverIds.length === 0) return [];
      const rows = await of()
        .where('server_id', 'in', [...serverIds])
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const newest = new Map<string, QueueEntry>();
      for (const row of rows) if (!newest.has(row.server_id)) newest.set(row.server_id, toEntry(row));
      return [...newest.values()];
    },
    async listOverdueEntries(beforeMs, limit) {
      return (await raw.all<Selectable<ServerQueue>>(TOO_LONG, [beforeMs, beforeMs, beforeMs, limit])).map(toEntry);
    },
    async listWaitingUsers(limit) {
      const rows = await raw.all<{ user_id: string }>(
        `${USERS} SELECT user_id FROM u WHERE user_id IS NOT NULL LIMIT ?`,
        [limit],
      );
      return rows.map((row) => row.user_id);
    },
    async countEntries(state) {
      const row = await db
        .selectFrom('server_queue')
        .where('state', '=', state)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async listBuildTimes(limit) {
      const rows = await db
        .selectFrom('server_queue')
        .select(['started_ms', 'done_ms'])
        .where('state', '=', 'completed')
        .where('started_ms', 'is not', null)
        .where('done_ms', 'is not', null)
        .orderBy('created_ms', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => Math.max(0, (row.done_ms ?? 0) - (row.started_ms ?? 0)));
    },
  };
}

type WorkPart = Pick<ServersRepo, 'updateQueueEntry' | 'addSteps' | 'listSteps' | 'purgeSteps'>;

/** Work on entries, and its log. */
function workPart(db: Kysely<DB>, raw: Raw): WorkPart {
  return {
    async updateQueueEntry(id, change) {
      await updateRow(raw, 'server_queue', columnsOf(change), { id });
    },
    async addSteps(steps) {
      const rows = steps.map((step) => ({
        id: step.id,
        queue_id: step.queueId,
        server_id: step.serverId,
        at_ms: step.atMs,
        code: step.code,
        detail: step.detail,
      }));
      await insertRows(raw, 'server_queue_log', rows);
    },
    async purgeSteps(beforeMs, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('server_queue_log')
        .where('id', 'in', (from) =>
          from.selectFrom('server_queue_log').select('id').where('at_ms', '<', beforeMs).orderBy('at_ms').limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    async listSteps(queueIds) {
      if (queueIds.length === 0) return [];
      const rows = await db
        .selectFrom('server_queue_log')
        .selectAll()
        .where('queue_id', 'in', [...queueIds])
        .orderBy('at_ms')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        queueId: row.queue_id,
        atMs: row.at_ms,
        code: row.code,
        detail: row.detail,
      }));
    },
  };
}

/** The queue in the database. */
export function queuePart(db: Kysely<DB>, raw: Raw): EntriesPart & WorkPart {
  return { ...entriesPart(db, raw), ...workPart(db, raw) };
}

/** Adds an event, and gives the ids of the server's sub-users, which have no commas. */
const addEventSql = ({
  dialect,
}: Raw) => `INSERT INTO server_events (id, server_id, user_id, at_ms, code, detail, actor_id, by_staff)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  RETURNING (SELECT ${dialect === 'postgres' ? 'string_agg' : 'group_concat'}(u.user_id, ',') FROM server_subusers u
    WHERE u.server_id = server_events.server_id AND u.ended_ms IS NULL) AS subusers`;

type NoticesPart = Pick<ServersRepo, 'addEvent' | 'listEvents' | 'addReminder' | 'listReminders' | 'deleteReminders'>;

export function noticesPart(db: Kysely<DB>, raw: Raw): NoticesPart {
  return {
    async addEvent({ id, serverId, userId, atMs, code, detail, actorId, byStaff }) {
      const added = await raw.one<{ subusers: string | null }>(addEventSql(raw), [
        id,
        serverId,
        userId,
        atMs,
        code,
        detail,
        actorId,
        byStaff ? 1 : 0,
      ]);
      return added?.subusers?.split(',') ?? [];
    },
    async listEvents(serverId, limit) {
      const rows = await db
        .selectFrom('server_events')
        .leftJoin('users as actor', (join) =>
          join.onRef('actor.id', '=', 'server_events.actor_id').on('actor.status', '<>', 'deleted'),
        )
        .leftJoin('users as about', (join) =>
          join
            .onRef('about.id', '=', 'server_events.detail')
            .on('server_events.code', 'like', 'subuser%')
            .on('about.status', '<>', 'deleted'),
        )
        .selectAll('server_events')
        .select(['actor.username as actor', 'about.username as about'])
        .where('server_id', '=', serverId)
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, at_ms: atMs, code, detail, actor, about, by_staff: byStaff }) => ({
        byStaff: byStaff === 1,
        id,
        atMs,
        code,
        detail: code.startsWith('subuser') ? about : detail,
        actor,
      }));
    },
    async addReminder(notice, staleMs = 0) {
      const added = await db
        .insertInto('server_reminders')
        .values({ server_id: notice.serverId, period_ms: notice.periodMs, kind: notice.kind, at_ms: notice.atMs })
        .onConflict((conflict) =>
          conflict
            .columns(['server_id', 'period_ms', 'kind'])
            .doUpdateSet({ at_ms: notice.atMs })
            .where('server_reminders.at_ms', '<', staleMs),
        )
        .returning('kind')
        .execute();
      return added.length > 0;
    },
    async listReminders(serverIds) {
      if (serverIds.length === 0) return [];
      const rows = await db
        .selectFrom('server_reminders')
        .selectAll()
        .where('server_id', 'in', [...serverIds])
        .execute();
      return rows.map((row) => ({
        serverId: row.server_id,
        periodMs: row.period_ms,
        kind: row.kind as ReminderKind,
        atMs: row.at_ms,
      }));
    },
    async deleteReminders(serverId) {
      await db.deleteFrom('server_reminders').where('server_id', '=', serverId).execute();
    },
  };
}

const toDebt = (row: Selectable<ServerDebts>): ServerDebt => ({
  serverId: row.server_id,
  userId: row.user_id,
  name: row.name,
  owed: row.owed,
  endedMs: row.ended_ms,
  untilMs: row.until_ms,
  holdId: row.hold_id,
  createdMs: row.created_ms,
});

type DebtsPart = Pick<ServersRepo, 'addDebt' | 'listOpenDebts' | 'takeDebt' | 'findDebtTakenBy' | 'updateDebt'>;

/** What deleted servers left owed, in the database. */
export function debtsPart(db: Kysely<DB>): DebtsPart {
  const all = () => db.selectFrom('server_debts').selectAll();
  return {
    async addDebt(debt) {
      await db
        .insertInto('server_debts')
        .values({
          server_id: debt.serverId,
          user_id: debt.userId,
          name: debt.name,
          owed: debt.owed,
          ended_ms: debt.endedMs,
          until_ms: debt.untilMs,
          state: 'open',
          taken_by: null,
          hold_id: null,
          created_ms: debt.createdMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async listOpenDebts(userId, nowMs) {
      const open = all().where('user_id', '=', userId).where('state', '=', 'open').where('until_ms', '>', nowMs);
      return (await open.orderBy('ended_ms').orderBy('server_id').execute()).map(toDebt);
    },
    async takeDebt(serverId, { by, holdId }) {
      const taken = { state: 'taken', taken_by: by, hold_id: holdId } as const;
      return (
        (
          await db
            .updateTable('server_debts')
            .set(taken)
            .where('server_id', '=', serverId)
            .where('state', '=', 'open')
            .returning('server_id')
            .execute()
        ).length > 0
      );
    },
    async findDebtTakenBy(serverId) {
      const row = await forUpdate(
        all().where('taken_by', '=', serverId).where('state', '=', 'taken'),
      ).executeTakeFirst();
      return row ? toDebt(row) : null;
    },
    async updateDebt(serverId, state) {
      await db
        .updateTable('server_debts')
        .set(state === 'open' ? { state, taken_by: null, hold_id: null } : { state })
        .where('server_id', '=', serverId)
        .where('state', '=', 'taken')
        .execute();
    },
  };
}
