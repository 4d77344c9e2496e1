import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { AbuseRepo, SignalKind } from '#server/modules/abuse/ports.ts';
import { heldRewardsPart } from './abuse-held.ts';
import { networksPart } from './abuse-networks.ts';

/** Values of a user and kind that are compared, and others that are counted for one of them: both bound the work behind an address that thousands share. */
const VALUES = 60;
const OTHERS = 50;

const NOTE = `INSERT INTO abuse_signals (user_id, kind, value, first_ms, last_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (user_id, kind, value) DO UPDATE SET last_ms = excluded.last_ms WHERE excluded.last_ms > abuse_signals.last_ms`;
const SHARED = `SELECT kind, MAX(others) AS others FROM (
    SELECT s.kind AS kind, (SELECT COUNT(*) FROM (
        SELECT 1 AS one FROM abuse_signals o WHERE o.kind = s.kind AND o.value = s.value AND o.user_id <> s.user_id LIMIT ${OTHERS}
      ) AS found) AS others
    FROM (SELECT user_id, kind, value, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY last_ms DESC) AS nth FROM abuse_signals WHERE user_id = ? AND kind <> 'ads') AS s
    WHERE s.nth <= ${VALUES}
  ) AS counted GROUP BY kind`;
/** Whether a user has as many values of a kind as are compared, and this is none of them. */
const FULL = `SELECT 1 AS one FROM (SELECT COUNT(*) AS n, COALESCE(SUM(CASE WHEN value = ? THEN 1 ELSE 0 END), 0) AS same FROM abuse_signals WHERE user_id = ? AND kind = ?) AS c
  WHERE n >= ${VALUES} AND same = 0`;

type SignalsPart = Pick<AbuseRepo, 'note' | 'shared' | 'seen' | 'forget' | 'profile'>;

/** Signals, held rewards and networks in the database. */
export function createAbuseRepo(db: Kysely<DB>, raw: Raw): AbuseRepo {
  return { ...signalsPart(db, raw), ...heldRewardsPart(db, raw), ...networksPart(db, raw) };
}

function signalsPart(db: Kysely<DB>, raw: Raw): SignalsPart {
  return {
    async note(userId, signals, atMs) {
      for (const { kind, value } of signals) {
        // A browser names its device itself: made-up ones must neither fill the table nor push out those that were seen before (attacks T52).
        if (kind === 'device' && (await raw.one(FULL, [value, userId, kind]))) continue;
        await raw.run(NOTE, [userId, kind, value, atMs, atMs]);
      }
    },
    async shared(userId) {
      const rows = await raw.all<{ kind: SignalKind; others: number }>(SHARED, [userId]);
      return Object.fromEntries(rows.map(({ kind, others }) => [kind, others]));
    },
    async seen(userId, kind, sinceMs) {
      const rows = await db
        .selectFrom('abuse_signals')
        .select('value')
        .where('user_id', '=', userId)
        .where('kind', '=', kind)
        .where('last_ms', '>=', sinceMs)
        .orderBy('last_ms', 'desc')
        .limit(VALUES)
        .execute();
      return rows.map(({ value }) => value);
    },
    async forget(beforeMs) {
      const old = await raw.run('DELETE FROM abuse_signals WHERE last_ms < ?', [beforeMs]);
      const gone = await raw.run("DELETE FROM abuse_signals WHERE user_id IN (SELECT id FROM users WHERE status = 'deleted')");
      return old.changes + gone.changes;
    },
    async profile(userId) {
      const row = await db.selectFrom('users').select(['email_key', 'role_id']).where('id', '=', userId).executeTakeFirst();
      return row ? { email: row.email_key, roleId: row.role_id } : null;
    },
  };
}
