import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { ClaimedJob, JobsRepo } from '#server/modules/jobs/ports.ts';

/** Tries a job has when it does not say (behaviour 6.2 and architecture 13). */
const ATTEMPTS = 5;
/** Longest error text kept. */
const ERROR_MAX = 500;

const INSERT = `INSERT INTO jobs (id, kind, payload, unique_key, run_at_ms, attempts, max_attempts, lease_until_ms, lease_token, rerun, state, last_error, created_ms, done_ms)
  VALUES (?, ?, ?, ?, ?, 0, ?, 0, NULL, 0, 'ready', NULL, ?, NULL) ON CONFLICT DO NOTHING`;
/** A job that runs just now may have read the state before this change: it will run again. */
const AGAIN = `UPDATE jobs SET rerun = CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END, payload = CASE WHEN lease_token IS NULL THEN payload ELSE ? END
  WHERE unique_key = ? AND state = 'ready'`;
const RELEASED = 'lease_token = NULL, lease_until_ms = 0';
const MINE = "WHERE id = ? AND lease_token = ? AND state = 'ready'";
/** Ends a run by starting over: it was asked for again meanwhile. */
const ONCE_MORE = `UPDATE jobs SET rerun = 0, attempts = 0, run_at_ms = ?, ${RELEASED} ${MINE} AND rerun = 1`;

interface Row {
  id: string;
  kind: string;
  payload: string;
  attempts: number;
  max_attempts: number;
}

/**
 * The durable queue in the database. Every end of a job names the lease it was claimed with, so that a late one changes
 * nothing.
 */
export function createJobsRepo(_db: Kysely<DB>, raw: Raw): JobsRepo {
  const change = async (sql: string, params: readonly (string | number | null)[]) =>
    (await raw.run(sql, params)).changes === 1;
  return {
    async add(job) {
      const payload = JSON.stringify(job.payload ?? null);
      const values = [
        job.id,
        job.kind,
        payload,
        job.uniqueKey ?? null,
        job.runAtMs ?? job.createdMs,
        job.maxAttempts ?? ATTEMPTS,
        job.createdMs,
      ];
      // The unfinished job of the key may begin or end between the two statements (PostgreSQL).
      for (let left = 5; left > 0; left -= 1) {
        if (job.uniqueKey !== undefined && (await change(AGAIN, [payload, job.uniqueKey]))) return;
        if (await change(INSERT, values)) return;
        if (job.uniqueKey === undefined) throw new Error(`a job with this id exists: ${job.id}`);
      }
      throw new Error(`no room for the job ${job.uniqueKey}`);
    },
    async claim(kinds, nowMs, leaseMs, leaseToken) {
      const row = await raw.one<Row>(claimSql(kinds.length, raw.dialect === 'postgres'), [
        nowMs + leaseMs,
        leaseToken,
        ...kinds,
        nowMs,
        nowMs,
        nowMs,
      ]);
      return row ? toJob(row, leaseToken) : null;
    },
    renew(id, leaseToken, untilMs) {
      return change(`UPDATE jobs SET lease_until_ms = ? ${MINE}`, [untilMs, id, leaseToken]);
    },
    async finish(id, leaseToken, nowMs) {
      if (await change(ONCE_MORE, [nowMs, id, leaseToken])) return true;
      return change(`UPDATE jobs SET state = 'done', done_ms = ?, last_error = NULL, ${RELEASED} ${MINE}`, [
        nowMs,
        id,
        leaseToken,
      ]);
    },
    retry(id, leaseToken, runAtMs, error) {
      return change(`UPDATE jobs SET run_at_ms = ?, last_error = ?, ${RELEASED} ${MINE}`, [
        runAtMs,
        error.slice(0, ERROR_MAX),
        id,
        leaseToken,
      ]);
    },
    async bury(id, leaseToken, nowMs, error) {
      if (await change(ONCE_MORE, [nowMs, id, leaseToken])) return true;
      return change(`UPDATE jobs SET state = 'dead', done_ms = ?, last_error = ?, ${RELEASED} ${MINE}`, [
        nowMs,
        error.slice(0, ERROR_MAX),
        id,
        leaseToken,
      ]);
    },
    async counts() {
      const row = await raw.one<{ ready: number; dead: number }>(
        "SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'ready') AS ready, (SELECT COUNT(*) FROM jobs WHERE state = 'dead') AS dead",
      );
      return row ?? { ready: 0, dead: 0 };
    },
    async purge(beforeMs) {
      return (await raw.run("DELETE FROM jobs WHERE state = 'done' AND done_ms < ?", [beforeMs])).changes;
    },
    takeTurn: (name, nowMs, nextMs) =>
      // A next turn further away than one period means that the clock was set back: it would stand still until the
      // clock caught up.
      change(
        `INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES (?, ?, ?, NULL)
         ON CONFLICT (name) DO UPDATE SET next_ms = excluded.next_ms, last_ms = excluded.last_ms
         WHERE schedules.next_ms <= ? OR schedules.next_ms > excluded.next_ms`,
        [name, nextMs, nowMs, nowMs],
      ),
    async endTurn(name, error) {
      await raw.run('UPDATE schedules SET last_error = ? WHERE name = ?', [error?.slice(0, ERROR_MAX) ?? null, name]);
    },
    async turns() {
      const rows = await raw.all<{ name: string; next_ms: number; last_ms: number | null; last_error: string | null }>(
        'SELECT name, next_ms, last_ms, last_error FROM schedules ORDER BY name',
      );
      return rows.map((row) => ({
        name: row.name,
        nextMs: row.next_ms,
        lastMs: row.last_ms,
        lastError: row.last_error,
      }));
    },
  };
}

/**
 * One statement that picks the next due job and leases it. The outer condition is what stops a second claim; PostgreSQL
 * also skips rows that another claimer is about to take, or it would wait for them and then come back with nothing.
 */
function claimSql(kinds: number, skip: boolean): string {
  return `UPDATE jobs SET lease_until_ms = ?, lease_token = ?, attempts = attempts + 1, rerun = 0
    WHERE id = (SELECT id FROM jobs WHERE state = 'ready' AND kind IN (${Array(kinds).fill('?').join(', ')}) AND run_at_ms <= ? AND lease_until_ms <= ?
      ORDER BY run_at_ms, id LIMIT 1${skip ? ' FOR UPDATE SKIP LOCKED' : ''}) AND state = 'ready' AND lease_until_ms <= ?
    RETURNING id, kind, payload, attempts, max_attempts`;
}

function toJob(row: Row, leaseToken: string): ClaimedJob {
  return {
    id: row.id,
    kind: row.kind,
    payload: JSON.parse(row.payload),
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    leaseToken,
  };
}
