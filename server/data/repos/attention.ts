import type { Kysely } from 'kysely';
import type { Param, Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { AttentionRepo, Waiting } from '#server/modules/attention/ports.ts';
import { ATTENTION_KEYS } from '#shared/attention.ts';
import { healthRank } from '#shared/health.ts';
import { TICKETS_COUNTED } from '#shared/tickets.ts';
import { HOUR } from '#shared/time.ts';

/** What needs a person, in the database: every count runs along an index of what is open. */
export function createAttentionRepo(db: Kysely<DB>, raw: Raw): AttentionRepo {
  return { ...countsPart(raw), ...moneyPart(raw), ...snoozesPart(db), ...reportsPart(db) };
}

/** The count and the oldest of a statement that names them `n` and `since_ms`. */
async function waiting(raw: Raw, sql: string, params: readonly Param[] = []): Promise<Waiting> {
  const row = await raw.one<{ n: number; since_ms: number | null }>(sql, params);
  return { count: row?.n ?? 0, sinceMs: row?.since_ms ?? null };
}

const FAILED = `FROM server_queue q JOIN servers s ON s.id = q.server_id
  WHERE q.state = 'failed' AND q.created_ms >= ? AND s.state = 'failed'`;

type Counts =
  | 'failedServers'
  | 'heldRewards'
  | 'failedMails'
  | 'missingBackup'
  | 'machineFault'
  | 'openTickets'
  | 'imageReports'
  | 'drift'
  | 'ledgerFaults';
function countsPart(raw: Raw): Pick<AttentionRepo, Counts> {
  return {
    async failedServers(sinceMs, names) {
      const found = await waiting(raw, `SELECT COUNT(DISTINCT s.id) AS n, MIN(s.updated_ms) AS since_ms ${FAILED}`, [
        sinceMs,
      ]);
      if (found.count === 0) return { ...found, names: [] };
      const rows = await raw.all<{ name: string }>(
        `SELECT DISTINCT s.name, s.updated_ms, s.id ${FAILED} ORDER BY s.updated_ms DESC, s.id LIMIT ?`,
        [sinceMs, names],
      );
      return { ...found, names: rows.map(({ name }) => name) };
    },
    async heldRewards() {
      const row = await raw.one<{ n: number; since_ms: number | null; credits: number | null; users: number }>(
        `SELECT COUNT(*) AS n, MIN(created_ms) AS since_ms, CAST(SUM(amount) AS BIGINT) AS credits, COUNT(DISTINCT user_id) AS users
         FROM held_rewards WHERE state = 'open'`,
      );
      return {
        count: row?.n ?? 0,
        sinceMs: row?.since_ms ?? null,
        credits: Number(row?.credits ?? 0),
        users: row?.users ?? 0,
      };
    },
    failedMails: (sinceMs) =>
      waiting(
        raw,
        "SELECT COUNT(*) AS n, MIN(created_ms) AS since_ms FROM mails WHERE state = 'failed' AND created_ms >= ? AND bounced = 0",
        [sinceMs],
      ),
    async missingBackup(sinceMs) {
      const row = await raw.one<{ first_ms: number | null; best: number | null }>(
        "SELECT MIN(at_ms) AS first_ms, MIN(status_rank) AS best FROM health_samples WHERE at_ms >= ? AND check_key = 'backup'",
        [sinceMs],
      );
      const firstMs = row?.first_ms ?? null;
      // Samples come every few minutes: without one near the beginning nothing is known of the whole time.
      const isMissing = firstMs !== null && firstMs - sinceMs < HOUR && (row?.best ?? 0) >= healthRank('warning');
      return { count: isMissing ? 1 : 0, sinceMs: firstMs };
    },
    async machineFault() {
      const row = await raw.one<{ at_ms: number; status_rank: number }>(
        "SELECT at_ms, status_rank FROM health_samples WHERE check_key = 'node' ORDER BY at_ms DESC LIMIT 1",
      );
      if (!row || row.status_rank < healthRank('critical')) return { count: 0, sinceMs: null };
      const first = await raw.one<{ at_ms: number | null }>(
        `SELECT MIN(at_ms) AS at_ms FROM health_samples WHERE check_key = 'node' AND at_ms >
           (SELECT COALESCE(MAX(at_ms), 0) FROM health_samples WHERE check_key = 'node' AND status_rank < ?)`,
        [healthRank('critical')],
      );
      return { count: 1, sinceMs: first?.at_ms ?? row.at_ms };
    },
    openTickets: () =>
      // Those that wait longest, up to a bound: a million of them are no more pressing than a hundred.
      waiting(
        raw,
        `SELECT COUNT(*) AS n, MIN(since_ms) AS since_ms
         FROM (SELECT since_ms FROM tickets WHERE status = 'open' ORDER BY since_ms, id LIMIT ?) AS oldest`,
        [TICKETS_COUNTED],
      ),
    imageReports: () =>
      waiting(raw, "SELECT COUNT(*) AS n, MIN(created_ms) AS since_ms FROM image_reports WHERE state = 'open'"),
    drift: () => waiting(raw, 'SELECT COUNT(*) AS n, MIN(first_ms) AS since_ms FROM panel_drift'),
    ledgerFaults: () => waiting(raw, 'SELECT COUNT(*) AS n, MIN(first_ms) AS since_ms FROM ledger_faults'),
  };
}

/** Orders that wait until staff say that their money came. */
const TO_CONFIRM = "FROM payment_orders o WHERE o.state = 'pending' AND o.provider = 'manual'";

type Money = 'ordersToConfirm' | 'disputes' | 'unknownPayments' | 'paymentProblems';
function moneyPart(raw: Raw): Pick<AttentionRepo, Money> {
  return {
    async ordersToConfirm() {
      const sums = await raw.one<{
        n: number;
        since_ms: number | null;
        total: number | null;
        currency: string | null;
        currencies: number;
      }>(
        `SELECT COUNT(*) AS n, MIN(o.created_ms) AS since_ms, CAST(SUM(o.amount) AS BIGINT) AS total, MIN(o.currency) AS currency,
           COUNT(DISTINCT o.currency) AS currencies ${TO_CONFIRM}`,
      );
      const oldest =
        (sums?.n ?? 0) > 0
          ? await raw.one<{ label: string | null; username: string }>(
              `SELECT COALESCE(o.code, o.label) AS label, u.username ${TO_CONFIRM.replace('o WHERE', 'o JOIN users u ON u.id = o.user_id WHERE')}
               ORDER BY o.created_ms, o.id LIMIT 1`,
            )
          : undefined;
      const isOne = sums?.currencies === 1;
      return {
        count: sums?.n ?? 0,
        sinceMs: sums?.since_ms ?? null,
        total: isOne ? Number(sums.total) : null,
        currency: isOne ? sums.currency : null,
        label: oldest?.label ?? null,
        username: oldest?.username ?? null,
      };
    },
    disputes: () =>
      waiting(raw, "SELECT COUNT(*) AS n, MIN(updated_ms) AS since_ms FROM payment_orders WHERE state = 'disputed'"),
    unknownPayments: (sinceMs) =>
      waiting(
        raw,
        `SELECT COUNT(*) AS n, MIN(received_ms) AS since_ms FROM payment_events
         WHERE outcome = 'unknown' AND reason IS NOT NULL AND received_ms >= ?`,
        [sinceMs],
      ),
    async paymentProblems(sinceMs) {
      const events = await waiting(
        raw,
        `SELECT COUNT(*) AS n, MIN(received_ms) AS since_ms FROM payment_events
         WHERE outcome = 'received' AND reason IS NOT NULL AND received_ms >= ?`,
        [sinceMs],
      );
      const orders = await waiting(
        raw,
        `SELECT COUNT(*) AS n, MIN(updated_ms) AS since_ms FROM payment_orders
         WHERE failure IS NOT NULL AND failure <> 'GATEWAY' AND updated_ms >= ?`,
        [sinceMs],
      );
      const since = [events.sinceMs, orders.sinceMs].filter((ms) => ms !== null);
      return { count: events.count + orders.count, sinceMs: since.length > 0 ? Math.min(...since) : null };
    },
  };
}

function snoozesPart(db: Kysely<DB>): Pick<AttentionRepo, 'listSnoozes' | 'snooze' | 'unsnooze'> {
  return {
    async listSnoozes(userId, nowMs) {
      const rows = await db
        .selectFrom('attention_snoozes')
        .selectAll()
        .where('user_id', '=', userId)
        .where('until_ms', '>', nowMs)
        .execute();
      return rows.map(({ item, count, until_ms: untilMs }) => ({ item, count, untilMs }));
    },
    async snooze(userId, { item, count, untilMs }) {
      const values = { count, until_ms: untilMs };
      await db
        .insertInto('attention_snoozes')
        .values({ user_id: userId, item, ...values })
        .onConflict((conflict) => conflict.columns(['user_id', 'item']).doUpdateSet(values))
        .execute();
    },
    async unsnooze(userId, item) {
      await db.deleteFrom('attention_snoozes').where('user_id', '=', userId).where('item', '=', item).execute();
    },
  };
}

function reportsPart(db: Kysely<DB>): Pick<AttentionRepo, 'listReports' | 'saveReport'> {
  return {
    async listReports() {
      const rows = await db.selectFrom('attention_reports').selectAll().execute();
      return rows.flatMap(({ item, reported_ms: reportedMs, ended_ms: endedMs }) => {
        const key = ATTENTION_KEYS.find((each) => each === item);
        return key ? [{ key, reportedMs, endedMs }] : [];
      });
    },
    async saveReport({ key, reportedMs, endedMs }) {
      const values = { reported_ms: reportedMs, ended_ms: endedMs };
      await db
        .insertInto('attention_reports')
        .values({ item: key, ...values })
        .onConflict((conflict) => conflict.column('item').doUpdateSet(values))
        .execute();
    },
  };
}
