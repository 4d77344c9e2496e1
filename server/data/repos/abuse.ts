import type { Kysely } from 'kysely';
import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { AbuseRepo, SharedSignal, SignalKind } from '#server/modules/abuse/ports.ts';
import { heldRewardsPart } from './abuse-held.ts';
import { networksPart } from './abuse-networks.ts';

/**
 * Values of a user and kind that are compared, and others that are counted for one of them: both bound the work behind
 * an address that thousands share.
 */
const VALUES = 60;
const OTHERS = 50;

const NOTE = 'INSERT INTO abuse_signals (user_id, kind, value, first_ms, last_ms) VALUES ';
const SIGNAL = '(?, ?, ?, ?, ?)';
const ON_SEEN = ` ON CONFLICT (user_id, kind, value) DO UPDATE SET last_ms = excluded.last_ms WHERE excluded.last_ms > abuse_signals.last_ms`;
const SHARED = `SELECT kind, MAX(others) AS others FROM (
    SELECT s.kind AS kind, (SELECT COUNT(*) FROM (
        SELECT 1 AS one FROM abuse_signals o WHERE o.kind = s.kind AND o.value = s.value AND o.user_id <> s.user_id LIMIT ${OTHERS}
      ) AS found) AS others
    FROM (SELECT user_id, kind, value, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY last_ms DESC) AS nth FROM abuse_signals WHERE user_id = ? AND kind <> 'ads') AS s
    WHERE s.nth <= ${VALUES}
  ) AS counted GROUP BY kind`;
const PROFILE = `SELECT u.email_key, u.created_ms, p.permission FROM users u
  LEFT JOIN role_permissions p ON p.role_id = u.role_id WHERE u.id = ?`;
const SEEN = `SELECT value FROM abuse_signals WHERE user_id = ? AND kind = ? AND last_ms >= ? ORDER BY last_ms DESC LIMIT ${VALUES}`;
/** Whether a user has as many values of a kind as are compared, and this is none of them. */
const FULL = `SELECT 1 AS one FROM (SELECT COUNT(*) AS n, COALESCE(SUM(CASE WHEN value = ? THEN 1 ELSE 0 END), 0) AS same FROM abuse_signals WHERE user_id = ? AND kind = ?) AS c
  WHERE n >= ${VALUES} AND same = 0`;

/** Devices and places of a user that are compared: the latest. */
const LATEST = 10;
/** Others around a user, and uses of a code, that are looked at. */
const AROUND = 200;
/** Longer than any account is old, in ms. */
const EVER = 2 ** 46;

const TOGETHER = `SELECT MAX(n) AS n FROM (
    SELECT (SELECT COUNT(*) FROM (
        SELECT 1 AS one FROM abuse_signals o JOIN users a ON a.id = o.user_id
        WHERE o.kind = 'device' AND o.value = s.value AND o.user_id <> s.user_id AND o.first_ms BETWEEN s.first_ms - ? AND s.first_ms + ?
          AND a.created_ms BETWEEN u.created_ms - ? AND u.created_ms + ?
        LIMIT ${OTHERS}
      ) AS found) AS n
    FROM (SELECT user_id, value, first_ms FROM abuse_signals WHERE user_id = ? AND kind = 'device' ORDER BY last_ms DESC LIMIT ${VALUES}) AS s
    JOIN users u ON u.id = s.user_id
  ) AS counted`;
const JOINED = `SELECT DISTINCT a.id AS id, a.email_key AS email, a.created_ms AS created_ms
  FROM (SELECT user_id, kind, value, first_ms FROM abuse_signals WHERE user_id = ? AND kind IN ('address', 'network') ORDER BY last_ms DESC LIMIT ${LATEST}) AS s
  JOIN users u ON u.id = s.user_id
  JOIN abuse_signals o ON o.kind = s.kind AND o.value = s.value AND o.user_id <> s.user_id AND o.first_ms BETWEEN s.first_ms - ? AND s.first_ms + ?
  JOIN users a ON a.id = o.user_id
  WHERE a.created_ms BETWEEN u.created_ms - ? AND u.created_ms + ?
  LIMIT ${AROUND}`;
/**
 * Who uses a device is few, so their uses of the code are looked for. Who is at an address may be thousands: there the
 * uses come first, which the cross joins make SQLite keep to.
 */
const SAME_CODE = `SELECT
  (SELECT COUNT(*) FROM (SELECT DISTINCT o.user_id AS user_id
    FROM (SELECT value FROM abuse_signals WHERE user_id = ? AND kind = 'device' ORDER BY last_ms DESC LIMIT ${VALUES}) AS s
    JOIN abuse_signals o ON o.kind = 'device' AND o.value = s.value AND o.user_id <> ? LIMIT ${AROUND}) AS others
    JOIN redeem_uses r ON r.code_id = ? AND r.user_id = others.user_id AND r.at_ms >= ?) AS device,
  (SELECT COUNT(*) FROM (SELECT DISTINCT o.user_id
    FROM (SELECT user_id FROM redeem_uses WHERE code_id = ? AND at_ms >= ? AND user_id <> ? ORDER BY at_ms DESC LIMIT ${AROUND}) AS r
    CROSS JOIN (SELECT kind, value FROM abuse_signals WHERE user_id = ? AND kind IN ('address', 'network') ORDER BY last_ms DESC LIMIT ${LATEST}) AS s
    CROSS JOIN abuse_signals o WHERE o.user_id = r.user_id AND o.kind = s.kind AND o.value = s.value LIMIT ${OTHERS}) AS found) AS address`;

const BOTH = `o.user_id AS user_id, s.kind AS kind, s.first_ms AS first_ms, o.first_ms AS other_first_ms, s.last_ms AS last_ms, o.last_ms AS other_last_ms`;
const IN_COMMON = (kinds: number) => `SELECT ${BOTH}
  FROM (SELECT user_id, kind, value, first_ms, last_ms FROM abuse_signals
    WHERE user_id = ? AND kind IN (${Array.from({ length: kinds }, () => '?').join(', ')}) ORDER BY last_ms DESC LIMIT ${VALUES}) AS s
  JOIN abuse_signals o ON o.kind = s.kind AND o.value = s.value AND o.user_id <> s.user_id LIMIT ${AROUND}`;
const IN_COMMON_WITH = `SELECT ${BOTH}
  FROM abuse_signals s JOIN abuse_signals o ON o.user_id = ? AND o.kind = s.kind AND o.value = s.value
  WHERE s.user_id = ? AND s.kind <> 'ads' LIMIT ${AROUND}`;
interface SharedRow {
  user_id: string;
  kind: SignalKind;
  first_ms: number;
  other_first_ms: number;
  last_ms: number;
  other_last_ms: number;
}
const toShared = (row: SharedRow): SharedSignal => ({
  userId: row.user_id,
  kind: row.kind,
  sinceMs: Math.max(row.first_ms, row.other_first_ms),
  lastMs: Math.max(row.last_ms, row.other_last_ms),
});

type SharedPart = Pick<AbuseRepo, 'listShared' | 'listSharedWith'>;
type SignalsPart = Pick<
  AbuseRepo,
  | 'recordSignals'
  | 'countSharing'
  | 'listSeen'
  | 'deleteSignals'
  | 'listDeletedWithSignals'
  | 'deleteSignalsOf'
  | 'findProfile'
>;
type BurstPart = Pick<
  AbuseRepo,
  'countArrivedTogether' | 'listJoinedAround' | 'countOnSharedDevices' | 'countSameCode'
>;

/** Signals, held rewards and networks in the database. */
export function createAbuseRepo(db: Kysely<DB>, raw: Raw): AbuseRepo {
  return {
    ...signalsPart(raw),
    ...burstPart(db, raw),
    ...sharedPart(raw),
    ...heldRewardsPart(db),
    ...networksPart(db, raw),
  };
}

function sharedPart(raw: Raw): SharedPart {
  return {
    async listShared(userId, kinds) {
      return (await raw.all<SharedRow>(IN_COMMON(kinds.length), [userId, ...kinds])).map(toShared);
    },
    async listSharedWith(userId, otherId) {
      return (await raw.all<SharedRow>(IN_COMMON_WITH, [otherId, userId])).map(toShared);
    },
  };
}

function burstPart(db: Kysely<DB>, raw: Raw): BurstPart {
  return {
    async countArrivedTogether(userId, { seenMs, madeMs }) {
      const made = madeMs ?? EVER;
      return (await raw.one<{ n: number | null }>(TOGETHER, [seenMs, seenMs, made, made, userId]))?.n ?? 0;
    },
    async listJoinedAround(userId, withinMs) {
      const rows = await raw.all<{ id: string; email: string; created_ms: number }>(JOINED, [
        userId,
        withinMs,
        withinMs,
        withinMs,
        withinMs,
      ]);
      return rows.map(({ id, email, created_ms }) => ({ id, email, createdMs: created_ms }));
    },
    async countOnSharedDevices(userIds, withinMs) {
      if (userIds.length === 0) return 0;
      const { n } = await db
        .selectFrom('abuse_signals as s')
        .select(({ fn }) => fn.count<number>('s.user_id').distinct().as('n'))
        .where('s.kind', '=', 'device')
        .where('s.user_id', 'in', [...userIds])
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('abuse_signals as o')
              .select('o.user_id')
              .whereRef('o.value', '=', 's.value')
              .whereRef('o.user_id', '<>', 's.user_id')
              .where('o.kind', '=', 'device')
              .where(({ eb, ref, between }) =>
                between('o.first_ms', eb(ref('s.first_ms'), '-', withinMs), eb(ref('s.first_ms'), '+', withinMs)),
              ),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async countSameCode(userId, codeId, sinceMs) {
      const onDevices = [userId, userId, codeId, sinceMs];
      const atPlaces = [codeId, sinceMs, userId, userId];
      const row = await raw.one<{ device: number; address: number }>(SAME_CODE, [...onDevices, ...atPlaces]);
      return { device: Number(row?.device ?? 0), address: Number(row?.address ?? 0) };
    },
  };
}

function signalsPart(raw: Raw): SignalsPart {
  return {
    async recordSignals(userId, signals, atMs) {
      const values: Param[][] = [];
      for (const { kind, value } of new Map(
        signals.map((signal) => [`${signal.kind} ${signal.value}`, signal]),
      ).values()) {
        // A browser names its device itself: made-up ones must neither fill the table nor push out those that were seen
        // before (attacks T52).
        if (kind === 'device' && (await raw.one(FULL, [value, userId, kind]))) continue;
        values.push([userId, kind, value, atMs, atMs]);
      }
      if (values.length === 0) return;
      // In one order for all, so that no two transactions wait for each other.
      values.sort(([, kind, value], [, otherKind, other]) =>
        `${String(kind)} ${String(value)}` < `${String(otherKind)} ${String(other)}` ? -1 : 1,
      );
      await raw.run(NOTE + Array(values.length).fill(SIGNAL).join(', ') + ON_SEEN, values.flat());
    },
    async countSharing(userId) {
      const rows = await raw.all<{ kind: SignalKind; others: number }>(SHARED, [userId]);
      return Object.fromEntries(rows.map(({ kind, others }) => [kind, others]));
    },
    async listSeen(userId, kind, sinceMs) {
      const rows = await raw.all<{ value: string }>(SEEN, [userId, kind, sinceMs]);
      return rows.map(({ value }) => value);
    },
    async deleteSignals(beforeMs, limit) {
      const signals = `abuse_signals${alongIndex(raw, 'abuse_signals_old')}`;
      const { changes } = await raw.run(
        `DELETE FROM abuse_signals WHERE (user_id, kind, value) IN
           (SELECT user_id, kind, value FROM ${signals} WHERE last_ms < ? LIMIT ?)`,
        [beforeMs, limit],
      );
      return changes;
    },
    async listDeletedWithSignals(limit) {
      // The second condition says nothing new; it is that of the index.
      const rows = await raw.all<{ id: string }>(
        `SELECT u.id FROM users u WHERE u.status = 'deleted' AND u.status <> 'active' AND ${raw.stopCondition}
           AND EXISTS (SELECT 1 FROM abuse_signals s WHERE s.user_id = u.id) LIMIT ?`,
        [limit],
      );
      return rows.map(({ id }) => id);
    },
    async deleteSignalsOf(userId) {
      await raw.run('DELETE FROM abuse_signals WHERE user_id = ?', [userId]);
    },
    async findProfile(userId) {
      const rows = await raw.all<{ email_key: string; created_ms: number; permission: string | null }>(PROFILE, [
        userId,
      ]);
      const [row] = rows;
      const permissions = rows.map(({ permission }) => permission).filter((permission) => permission !== null);
      return row ? { email: row.email_key, createdMs: row.created_ms, permissions } : null;
    },
  };
}
