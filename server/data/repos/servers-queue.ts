import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { DB, ServerDebts, ServerQueue } from '#server/data/schema.ts';
import type {
  ReminderKind,
  QueueChange,
  QueueRow,
  ServerDebt,
  ServersRepo,
} from '#server/modules/servers/core/ports.ts';
import { QUEUE_STATES } from '#shared/schemas/server.ts';

const toEntry = (row: Selectable<ServerQueue>): QueueRow => ({
  id: row.id,
  serverId: row.server_id,
  userId: row.user_id,
  state: QUEUE_STATES.find((state) => state === row.state) ?? 'failed',
  priority: row.priority,
  attempts: row.attempts,
  runAtMs: row.run_at_ms,
  leaseUntilMs: row.lease_until_ms,
  leaseToken: row.lease_token,
  lastError: row.last_error,
  createdMs: row.created_ms,
  startedMs: row.started_ms,
  doneMs: row.done_ms,
  heldSinceMs: row.held_since_ms,
});

const COLUMNS = {
  state: 'state',
  priority: 'priority',
  attempts: 'attempts',
  runAtMs: 'run_at_ms',
  leaseUntilMs: 'lease_until_ms',
  leaseToken: 'lease_token',
  lastError: 'last_error',
  startedMs: 'started_ms',
  doneMs: 'done_ms',
  heldSinceMs: 'held_since_ms',
} as const satisfies Record<keyof QueueChange, keyof ServerQueue>;

function columnsOf(change: QueueChange): Partial<ServerQueue> {
  const set = Object.entries(COLUMNS)
    .map(([field, column]) => [column, change[field as keyof QueueChange]] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<ServerQueue>;
}

/**
 * Turns a user has had lately (the first value: since when), as far as it matters: those with more are alike, so that
 * it costs the same whatever was built.
 */
const TURNS_MAX = 100;
const turnsOf = (row: string) =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM server_queue s WHERE s.user_id = ${row}.user_id AND s.started_ms > ? LIMIT ${TURNS_MAX}) t)`;
/** Outages that cover an entry's server, which stands at no other panel and node than the one it has a place at. */
const covered = (row: string, more: string) =>
  `EXISTS (SELECT 1 FROM servers v JOIN panel_outages o ON o.panel = COALESCE(v.panel, '') AND (o.node = '' OR o.node = v.panel_node) WHERE v.id = ${row}.server_id${more})`;
/**
 * The queue's order (behaviour 6.2): VIP first, then turn about between users, then age. A user's n-th waiting entry
 * has had as many turns before it as entries of the user that were begun lately, plus n.
 */
const WAITING = `SELECT q.* FROM (
    SELECT w.*, ROW_NUMBER() OVER (PARTITION BY w.user_id ORDER BY w.priority DESC, w.created_ms, w.id) + ${turnsOf('w')} AS turn
    FROM server_queue w WHERE w.state = 'queued' AND w.run_at_ms <= ? AND w.lease_until_ms <= ? AND NOT ${covered('w', '')}
  ) q ORDER BY q.priority DESC, q.turn, q.created_ms, q.id LIMIT ?`;
/**
 * Users who wait, found by skipping from one to the next: it costs as many steps as there are users, however many
 * entries they have. The last row is null.
 */
const USERS = `WITH RECURSIVE u (user_id) AS (
    SELECT (SELECT MIN(user_id) FROM server_queue WHERE state = 'queued')
    UNION ALL SELECT (SELECT MIN(w.user_id) FROM server_queue w WHERE w.state = 'queued' AND w.user_id > u.user_id) FROM u WHERE u.user_id IS NOT NULL
  )`;
/** The head alone: it is the first entry of one of the users, so only of those the turns are counted. */
const headSql = (without: number, outages: boolean) => `${USERS} SELECT q.* FROM u JOIN server_queue q ON q.id = (
    SELECT w.id FROM server_queue w WHERE w.user_id = u.user_id AND w.state = 'queued' AND w.run_at_ms <= ? AND w.lease_until_ms <= ?${
      without === 0
        ? ''
        : ` AND (SELECT COALESCE(v.panel, '') FROM servers v WHERE v.id = w.server_id) NOT IN (${Array.from({ length: without }, () => '?').join(', ')})`
    }
${outages ? ` AND NOT ${covered('w', ' AND o.next_ms > ?')}` : ''}
    ORDER BY w.priority DESC, w.created_ms, w.id LIMIT 1
  )
  ORDER BY q.priority DESC, ${turnsOf('q')}, q.created_ms, q.id LIMIT 1`;

/**
 * Entries that have waited for what is away since before a moment: those that were tried, from then on; the others
 * since they were asked for, or it went away.
 */
const TOO_LONG = `SELECT q.* FROM server_queue q WHERE q.state = 'queued' AND q.lease_until_ms <= ? AND (
    (q.held_since_ms <= ? AND ${covered('q', '')}) OR (q.held_since_ms IS NULL AND q.created_ms <= ? AND ${covered('q', ' AND o.since_ms <= ?')})
  ) ORDER BY q.created_ms, q.id LIMIT ?`;
const DUE =
  "SELECT * FROM server_queue WHERE state = 'building' AND run_at_ms <= ? AND lease_until_ms <= ? ORDER BY run_at_ms, id LIMIT ?";
const FREE = 'WHERE id = ? AND state = ? AND attempts = ? AND run_at_ms = ? AND lease_until_ms <= ?';
/**
 * An entry that is under construction already keeps its state and its beginning, and with them its places in the
 * indexes.
 */
const BEGIN = `UPDATE server_queue SET state = 'building', started_ms = ?, attempts = ?, lease_token = ?, lease_until_ms = ? ${FREE}`;
const GO_ON = `UPDATE server_queue SET attempts = ?, lease_token = ?, lease_until_ms = ? ${FREE}`;

type EntriesPart = Pick<
  ServersRepo,
  | 'heldTooLong'
  | 'addQueue'
  | 'newestQueues'
  | 'dueBuilding'
  | 'waiting'
  | 'nextWaiting'
  | 'waitingUsers'
  | 'countQueue'
  | 'buildingAt'
  | 'buildTimes'
>;

/** Entries of the queue as they are asked for. */
function entriesPart(db: Kysely<DB>, raw: Raw): EntriesPart {
  const of = () => db.selectFrom('server_queue').selectAll();
  return {
    async addQueue(entry) {
      await db
        .insertInto('server_queue')
        .values({
          id: entry.id,
          server_id: entry.serverId,
          user_id: entry.userId,
          state: entry.state,
          priority: entry.priority,
          attempts: entry.attempts,
          run_at_ms: entry.runAtMs,
          lease_until_ms: entry.leaseUntilMs,
          lease_token: entry.leaseToken,
          last_error: entry.lastError,
          created_ms: entry.createdMs,
          started_ms: entry.startedMs,
          done_ms: entry.doneMs,
          held_since_ms: entry.heldSinceMs,
        })
        .execute();
    },
    async newestQueues(serverIds) {
      if (serverIds.length === 0) return [];
      const rows = await of()
        .where('server_id', 'in', [...serverIds])
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const newest = new Map<string, QueueRow>();
      for (const row of rows) if (!newest.has(row.server_id)) newest.set(row.server_id, toEntry(row));
      return [...newest.values()];
    },
    async dueBuilding(nowMs, limit) {
      return (await raw.all<Selectable<ServerQueue>>(DUE, [nowMs, nowMs, limit])).map(toEntry);
    },
    async waiting(nowMs, servedSinceMs, limit) {
      return (await raw.all<Selectable<ServerQueue>>(WAITING, [servedSinceMs, nowMs, nowMs, limit])).map(toEntry);
    },
    async nextWaiting(nowMs, servedSinceMs, without, outages) {
      const row = await raw.one<Selectable<ServerQueue>>(headSql(without.length, outages), [
        nowMs,
        nowMs,
        ...without,
        ...(outages ? [nowMs] : []),
        servedSinceMs,
      ]);
      return row ? toEntry(row) : null;
    },
    async heldTooLong(nowMs, beforeMs, limit) {
      return (await raw.all<Selectable<ServerQueue>>(TOO_LONG, [nowMs, beforeMs, beforeMs, beforeMs, limit])).map(
        toEntry,
      );
    },
    async waitingUsers(limit) {
      const rows = await raw.all<{ user_id: string }>(
        `${USERS} SELECT user_id FROM u WHERE user_id IS NOT NULL LIMIT ?`,
        [limit],
      );
      return rows.map((row) => row.user_id);
    },
    async buildingAt() {
      const rows = await raw.all<{ panel: string; n: number }>(
        `SELECT COALESCE(v.panel, '') AS panel, COUNT(*) AS n FROM server_queue q JOIN servers v ON v.id = q.server_id WHERE q.state = 'building' GROUP BY COALESCE(v.panel, '')`,
      );
      return new Map(rows.map((row) => [row.panel, row.n]));
    },
    async countQueue(state) {
      const row = await db
        .selectFrom('server_queue')
        .where('state', '=', state)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async buildTimes(limit) {
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

type WorkPart = Pick<ServersRepo, 'claim' | 'changeQueue' | 'addSteps' | 'steps'>;

/** Work on entries, and its log. */
function workPart(db: Kysely<DB>, raw: Raw): WorkPart {
  return {
    async claim(entry, change, nowMs) {
      const { attempts, leaseToken, leaseUntilMs, startedMs } = change;
      const begun = entry.state === 'building' && entry.startedMs === startedMs;
      const set = [attempts, leaseToken, leaseUntilMs, entry.id, entry.state, entry.attempts, entry.runAtMs, nowMs];
      const { changes } = await (begun ? raw.run(GO_ON, set) : raw.run(BEGIN, [startedMs, ...set]));
      return changes === 1 ? { ...entry, ...change, state: 'building' } : null;
    },
    async changeQueue(id, token, change) {
      const set = Object.entries(columnsOf(change));
      const held = token === null ? '' : " AND lease_token = ? AND state = 'building'";
      const sql = `UPDATE server_queue SET ${set.map(([column]) => `${column} = ?`).join(', ')} WHERE id = ?${held}`;
      return (
        (await raw.run(sql, [...set.map(([, value]) => value), id, ...(token === null ? [] : [token])])).changes > 0
      );
    },
    async addSteps(steps) {
      if (steps.length === 0) return;
      const values = steps.flatMap((step) => [step.id, step.queueId, step.serverId, step.atMs, step.code, step.detail]);
      await raw.run(
        `INSERT INTO server_queue_log (id, queue_id, server_id, at_ms, code, detail) VALUES ${steps.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
        values,
      );
    },
    async steps(queueIds) {
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

type NoticesPart = Pick<ServersRepo, 'addEvent' | 'events' | 'addReminder' | 'reminders' | 'clearReminders'>;

export function noticesPart(db: Kysely<DB>, raw: Raw): NoticesPart {
  return {
    async addEvent(event) {
      await insertRow(raw, 'server_events', {
        id: event.id,
        server_id: event.serverId,
        user_id: event.userId,
        at_ms: event.atMs,
        code: event.code,
        detail: event.detail,
      });
    },
    async events(serverId, limit) {
      const rows = await db
        .selectFrom('server_events')
        .selectAll()
        .where('server_id', '=', serverId)
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ id: row.id, atMs: row.at_ms, code: row.code, detail: row.detail }));
    },
    async addReminder(notice, staleMs = 0) {
      const added = await db
        .insertInto('server_notices')
        .values({ server_id: notice.serverId, period_ms: notice.periodMs, kind: notice.kind, at_ms: notice.atMs })
        .onConflict((conflict) =>
          conflict
            .columns(['server_id', 'period_ms', 'kind'])
            .doUpdateSet({ at_ms: notice.atMs })
            .where('server_notices.at_ms', '<', staleMs),
        )
        .returning('kind')
        .execute();
      return added.length > 0;
    },
    async reminders(serverIds) {
      if (serverIds.length === 0) return [];
      const rows = await db
        .selectFrom('server_notices')
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
    async clearReminders(serverId) {
      await db.deleteFrom('server_notices').where('server_id', '=', serverId).execute();
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
