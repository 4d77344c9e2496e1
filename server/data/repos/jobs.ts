import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { CLOCKS_APART_MS } from '#server/modules/jobs/index.ts';
import type { Closed, JobsRepo, LeasedJob } from '#server/modules/jobs/ports.ts';

/** Failed attempts in a row a job may have when it does not say (behaviour 6.2 and architecture 13). */
const ATTEMPTS = 5;
/** Longest error text kept. */
const ERROR_MAX = 500;

const INSERT = `INSERT INTO jobs (id, kind, payload, unique_key, run_at_ms, attempts, max_attempts, lease_until_ms, lease_token, rerun, state, last_error, created_ms, done_ms, priority, group_key, limit_key, place_key, begun_ms)
  VALUES (?, ?, ?, ?, ?, 0, ?, 0, NULL, 0, 'ready', NULL, ?, NULL, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING`;
/** A job that runs just now may have read the state before this change: it will run again. */
const AGAIN = `UPDATE jobs SET rerun = CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END, payload = CASE WHEN lease_token IS NULL THEN payload ELSE ? END
  WHERE unique_key = ? AND state = 'ready'`;
const RELEASED = 'lease_token = NULL, lease_until_ms = 0';
const MINE = "WHERE id = ? AND lease_token = ? AND state = 'ready'";
/**
 * Ends a run for good, or starts it over where it was asked for again meanwhile. Values: when it ended, its error, when
 * it is due again.
 */
const endSql = (state: 'done' | 'dead') => `UPDATE jobs SET
  state = CASE WHEN rerun = 1 THEN state ELSE '${state}' END,
  done_ms = CASE WHEN rerun = 1 THEN done_ms ELSE ? END,
  last_error = CASE WHEN rerun = 1 THEN last_error ELSE ? END,
  run_at_ms = CASE WHEN rerun = 1 THEN ? ELSE run_at_ms END,
  attempts = CASE WHEN rerun = 1 THEN 0 ELSE attempts END,
  rerun = 0, ${RELEASED} ${MINE}`;
const DONE = endSql('done');
const DEAD = endSql('dead');

/**
 * The one statement that leases: it picks, and the outer condition is what stops a second lease. PostgreSQL also skips
 * rows that another worker is about to take, or it would wait for them and then come back with nothing. There the rows
 * are picked into an array, which is made once: a subquery that locks what it reads gives other rows each time it is
 * run, and a plan that runs it for every job would lease all of them, whatever the limit.
 */
const leaseSql = ({ dialect }: Raw, pick: string, begin = false) =>
  `UPDATE jobs SET lease_until_ms = ?, lease_token = ?, attempts = attempts + 1, rerun = 0${begin ? ', begun_ms = ?' : ''}
    WHERE id ${dialect === 'postgres' ? `= ANY (ARRAY(${pick}))` : `IN (${pick})`} AND state = 'ready' AND lease_until_ms <= ?
    RETURNING id, kind, payload, attempts, max_attempts, group_key, limit_key, place_key, run_at_ms`;
const marks = (count: number) => Array.from({ length: count }, () => '?').join(', ');

/** Picks by time: jobs without a line, or those of a line that were begun. */
const dueSql = (raw: Raw, index: string, which: string) =>
  `SELECT id FROM jobs${alongIndex(raw, index)} WHERE state = 'ready' AND ${which} AND run_at_ms <= ? AND lease_until_ms <= ?
    ORDER BY run_at_ms, id LIMIT ?${raw.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''}`;

/** What waits in a line, by the words of its index. */
const WAITS = "state = 'ready' AND begun_ms IS NULL AND group_key IS NOT NULL";
const BEGUN = "state = 'ready' AND begun_ms IS NOT NULL";
/**
 * Jobs of its group that were begun lately (the value: since when), as far as it matters: groups with more are alike,
 * so that it costs the same whatever was done.
 */
const SERVED_MAX = 100;
const servedOf = (raw: Raw, row: string) =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM jobs s${alongIndex(raw, 'jobs_served')} WHERE s.kind = ${row}.kind AND s.group_key = ${row}.group_key AND s.begun_ms > ? LIMIT ${SERVED_MAX}) t)`;
const openSql = (row: string, { limitKeys, placeKeys }: Closed) =>
  (limitKeys.length > 0 ? ` AND ${row}.limit_key NOT IN (${marks(limitKeys.length)})` : '') +
  (placeKeys.length > 0 ? ` AND ${row}.place_key NOT IN (${marks(placeKeys.length)})` : '');

/**
 * Picks the first of a line. It is the first job of one of the groups; those are found by skipping from one to the
 * next, so that it costs as many steps as there are groups, however many jobs they have. The last row of `g` is null.
 */
function firstSql(raw: Raw, closed: Closed): string {
  const line = alongIndex(raw, 'jobs_waiting');
  return `WITH RECURSIVE g (group_key) AS (
    SELECT (SELECT MIN(group_key) FROM jobs${line} WHERE kind = ? AND ${WAITS})
    UNION ALL SELECT (SELECT MIN(w.group_key) FROM jobs w${line} WHERE w.kind = ? AND ${WAITS} AND w.group_key > g.group_key) FROM g WHERE g.group_key IS NOT NULL
  ) SELECT q.id FROM g JOIN jobs q ON q.id = (
    SELECT w.id FROM jobs w${line} WHERE w.kind = ? AND w.group_key = g.group_key AND ${WAITS} AND w.run_at_ms <= ? AND w.lease_until_ms <= ?${openSql('w', closed)}
    ORDER BY w.priority DESC, w.created_ms, w.id LIMIT 1
  )
  ORDER BY q.priority DESC, ${servedOf(raw, 'q')}, q.created_ms, q.id LIMIT 1`;
}

/** The whole line: the n-th waiting job of a group has as many before it as were begun lately, plus n. */
const lineSql = (raw: Raw, closed: Closed) => `SELECT q.id FROM (
    SELECT w.id, w.priority, w.created_ms, ROW_NUMBER() OVER (PARTITION BY w.group_key ORDER BY w.priority DESC, w.created_ms, w.id) + ${servedOf(raw, 'w')} AS served
    FROM jobs w${alongIndex(raw, 'jobs_waiting')} WHERE w.kind = ? AND ${WAITS} AND w.run_at_ms <= ? AND w.lease_until_ms <= ?${openSql('w', closed)}
  ) q ORDER BY q.priority DESC, q.served, q.created_ms, q.id LIMIT ?`;

/** First part of the key of PostgreSQL's advisory locks for lines. Any fixed number that nobody else uses will do. */
const LINE_LOCK = 7301;

interface Row {
  id: string;
  kind: string;
  payload: string;
  attempts: number;
  max_attempts: number;
  group_key: string | null;
  limit_key: string | null;
  place_key: string | null;
  run_at_ms: number;
}

type LeasePart = Pick<
  JobsRepo,
  'lease' | 'leaseBegun' | 'leaseFirst' | 'lockLine' | 'countBegunByLimit' | 'listWaiting' | 'renew'
>;

/** Who works on what. */
function leasePart(raw: Raw): LeasePart {
  const leased = async (sql: string, params: readonly Param[], token: string, isNew = false) =>
    (await raw.all<Row>(sql, params))
      .toSorted((a, b) => a.run_at_ms - b.run_at_ms || (a.id < b.id ? -1 : 1))
      .map((row) => toJob(row, token, isNew));
  return {
    lease: (kinds, { token, nowMs, leaseMs, limit }) =>
      leased(
        leaseSql(raw, dueSql(raw, 'jobs_due', `group_key IS NULL AND kind IN (${marks(kinds.length)})`)),
        [nowMs + leaseMs, token, ...kinds, nowMs, nowMs, limit, nowMs],
        token,
      ),
    leaseBegun: (kind, { token, nowMs, leaseMs, limit }) =>
      leased(
        leaseSql(raw, dueSql(raw, 'jobs_begun', 'begun_ms IS NOT NULL AND kind = ?')),
        [nowMs + leaseMs, token, kind, nowMs, nowMs, limit, nowMs],
        token,
      ),
    async leaseFirst(kind, { token, nowMs, leaseMs }, { servedSinceMs, closed }) {
      const [job] = await leased(
        leaseSql(raw, firstSql(raw, closed), true),
        [
          nowMs + leaseMs,
          token,
          nowMs,
          kind,
          kind,
          kind,
          nowMs,
          nowMs,
          ...closed.limitKeys,
          ...closed.placeKeys,
          servedSinceMs,
          nowMs,
        ],
        token,
        true,
      );
      return job ?? null;
    },
    async lockLine(kind) {
      // SQLite has one writer at a time anyway.
      if (raw.dialect === 'postgres') await raw.run('SELECT pg_advisory_xact_lock(?, hashtext(?))', [LINE_LOCK, kind]);
    },
    async countBegunByLimit(kind) {
      const rows = await raw.all<{ limit_key: string; n: number }>(
        `SELECT limit_key, COUNT(*) AS n FROM jobs${alongIndex(raw, 'jobs_begun')} WHERE kind = ? AND ${BEGUN} GROUP BY limit_key`,
        [kind],
      );
      return new Map(rows.map((row) => [row.limit_key, row.n]));
    },
    async listWaiting(kind, nowMs, { servedSinceMs, closed, limit }) {
      const rows = await raw.all<{ id: string }>(lineSql(raw, closed), [
        servedSinceMs,
        kind,
        nowMs,
        nowMs,
        ...closed.limitKeys,
        ...closed.placeKeys,
        limit,
      ]);
      return rows.map((row) => row.id);
    },
    async renew(id, leaseToken, untilMs) {
      return (await raw.run(`UPDATE jobs SET lease_until_ms = ? ${MINE}`, [untilMs, id, leaseToken])).changes === 1;
    },
  };
}

type SchedulesPart = Pick<JobsRepo, 'beginRun' | 'renewRun' | 'endRun' | 'requestRun' | 'listSchedules'>;

/** When what is repeated ran, and runs next. */
function schedulesPart(raw: Raw): SchedulesPart {
  return {
    async beginRun(name, nowMs, nextMs, lease) {
      // A next run, or an end of a lease, that is further away than it can be means that the clock was set back: it
      // would stand still until the clock caught up.
      const leaseUntilMs = lease?.untilMs ?? 0;
      const { changes } = await raw.run(
        `INSERT INTO schedules (name, next_ms, last_ms, last_error, lease_token, lease_until_ms)
         VALUES (?, ?, ?, NULL, ?, ?)
         ON CONFLICT (name) DO UPDATE SET next_ms = excluded.next_ms, last_ms = excluded.last_ms, took_ms = NULL,
           lease_token = excluded.lease_token, lease_until_ms = excluded.lease_until_ms
         WHERE (schedules.next_ms <= ? OR schedules.next_ms > ?)
           AND (schedules.lease_until_ms <= ? OR schedules.lease_until_ms > ?)`,
        [
          name,
          nextMs,
          nowMs,
          lease?.token ?? null,
          leaseUntilMs,
          nowMs,
          nextMs + CLOCKS_APART_MS,
          nowMs,
          leaseUntilMs + CLOCKS_APART_MS,
        ],
      );
      return changes === 1;
    },
    async renewRun(name, leaseToken, untilMs) {
      await raw.run('UPDATE schedules SET lease_until_ms = ? WHERE name = ? AND lease_token = ?', [
        untilMs,
        name,
        leaseToken,
      ]);
    },
    async endRun(name, leaseToken, error, tookMs) {
      // The outcome of this run behind those of the nine before it.
      const { changes } = await raw.run(
        `UPDATE schedules SET last_error = ?, took_ms = ?, lease_token = NULL, lease_until_ms = 0,
           recent = CASE WHEN length(recent) < 10 THEN recent ELSE substr(recent, length(recent) - 8) END || ?
         WHERE name = ? AND lease_token = ?`,
        [error?.slice(0, ERROR_MAX) ?? null, tookMs, error === null ? 'o' : 'f', name, leaseToken],
      );
      return changes === 1;
    },
    async requestRun(name, nowMs, abandonedMs) {
      const { changes } = await raw.run(
        'UPDATE schedules SET next_ms = ? WHERE name = ? AND next_ms > ? AND (took_ms IS NOT NULL OR last_ms < ?)',
        [nowMs, name, nowMs, abandonedMs],
      );
      return changes === 1;
    },
    async listSchedules() {
      const rows = await raw.all<{
        name: string;
        next_ms: number;
        last_ms: number | null;
        last_error: string | null;
        took_ms: number | null;
        recent: string;
      }>('SELECT name, next_ms, last_ms, last_error, took_ms, recent FROM schedules ORDER BY name');
      return rows.map((row) => ({
        name: row.name,
        nextMs: row.next_ms,
        lastMs: row.last_ms,
        lastError: row.last_error,
        tookMs: row.took_ms,
        recent: [...row.recent].map((letter) => letter === 'o'),
      }));
    },
  };
}

/**
 * The durable queue in the database. Every end of a job names the lease it was taken with, so that a late one changes
 * nothing.
 */
export function createJobsRepo(raw: Raw): JobsRepo {
  const change = async (sql: string, params: readonly Param[]) => (await raw.run(sql, params)).changes === 1;
  return {
    ...leasePart(raw),
    ...schedulesPart(raw),
    async add(job) {
      const payload = JSON.stringify(job.payload ?? null);
      const { line } = job;
      const values = [
        job.id,
        job.kind,
        payload,
        job.uniqueKey ?? null,
        job.runAtMs ?? job.createdMs,
        job.maxAttempts ?? ATTEMPTS,
        job.createdMs,
        line?.priority ?? 0,
        line?.groupKey ?? null,
        line?.limitKey ?? null,
        line?.placeKey ?? null,
      ];
      // The unfinished job of the key may begin or end between the two statements (PostgreSQL).
      for (let left = 5; left > 0; left -= 1) {
        if (job.uniqueKey !== undefined && (await change(AGAIN, [payload, job.uniqueKey]))) return;
        if (await change(INSERT, values)) return;
        if (job.uniqueKey === undefined) throw new Error(`a job with this id exists: ${job.id}`);
      }
      throw new Error(`no room for the job ${job.uniqueKey}`);
    },
    finish: (id, leaseToken, nowMs) => change(DONE, [nowMs, null, nowMs, id, leaseToken]),
    retry: (id, leaseToken, runAtMs, error) =>
      change(`UPDATE jobs SET run_at_ms = ?, last_error = ?, ${RELEASED} ${MINE}`, [
        runAtMs,
        error.slice(0, ERROR_MAX),
        id,
        leaseToken,
      ]),
    reschedule: (id, leaseToken, runAtMs) =>
      change(`UPDATE jobs SET run_at_ms = ?, attempts = 0, last_error = NULL, ${RELEASED} ${MINE}`, [
        runAtMs,
        id,
        leaseToken,
      ]),
    returnToLine: (id, leaseToken, runAtMs, placeKey) =>
      change(
        `UPDATE jobs SET run_at_ms = ?, place_key = ?, begun_ms = NULL, attempts = 0, last_error = NULL, ${RELEASED} ${MINE}`,
        [runAtMs, placeKey, id, leaseToken],
      ),
    cancel: (id, nowMs) =>
      change(
        `UPDATE jobs SET state = 'done', done_ms = ?, ${RELEASED} WHERE id = ? AND state = 'ready' AND lease_until_ms <= ?`,
        [nowMs, id, nowMs],
      ),
    markDead: (id, leaseToken, nowMs, error) => change(DEAD, [nowMs, error.slice(0, ERROR_MAX), nowMs, id, leaseToken]),
    async counts() {
      const row = await raw.one<{ ready: number; dead: number }>(
        "SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'ready') AS ready, (SELECT COUNT(*) FROM jobs WHERE state = 'dead') AS dead",
      );
      return row ?? { ready: 0, dead: 0 };
    },
    async purge(beforeMs, limit) {
      const old = "SELECT id FROM jobs WHERE state = 'done' AND done_ms < ? ORDER BY done_ms LIMIT ?";
      return (await raw.run(`DELETE FROM jobs WHERE id IN (${old})`, [beforeMs, limit])).changes;
    },
  };
}

function toJob(row: Row, leaseToken: string, isNew: boolean): LeasedJob {
  return {
    id: row.id,
    kind: row.kind,
    payload: JSON.parse(row.payload),
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    leaseToken,
    line:
      row.group_key === null || row.limit_key === null || row.place_key === null
        ? null
        : { groupKey: row.group_key, limitKey: row.limit_key, placeKey: row.place_key, isNew },
  };
}
