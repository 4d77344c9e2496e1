import type { Param, Raw } from '#server/data/raw.ts';
import type { AffectedQuestion, SettingsRepo } from '#server/modules/settings/ports.ts';

interface Condition {
  /** What stands after FROM. */
  readonly sql: string;
  readonly values: readonly Param[];
}
const plain = (sql: string): Condition => ({ sql, values: [] });

const STAFF_ROLES = "SELECT role_id FROM role_permissions WHERE substr(permission, 1, 6) = 'admin.'";
const OPEN_ORDERS = "payment_orders WHERE state IN ('created', 'pending')";

/** Rows that a question counts. Each runs along an index of what is open, or over a table that stays small. */
function rowsOf(question: AffectedQuestion): Condition {
  switch (question.who) {
    case 'usersWithoutFactor':
      return plain(
        `users WHERE factor = 0 AND status <> 'deleted'${question.staffOnly ? ` AND role_id IN (${STAFF_ROLES})` : ''}`,
      );
    case 'usersWithPasskey':
      return plain('(SELECT user_id FROM passkeys GROUP BY user_id) AS owners');
    case 'unconfirmedUsers':
      return plain("users WHERE verified_ms IS NULL AND status <> 'deleted'");
    case 'signedInStaff':
      return {
        sql: `users u WHERE u.role_id IN (${STAFF_ROLES}) AND u.status = 'active'
          AND EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id AND s.expires_ms > ?)`,
        values: [question.nowMs],
      };
    case 'afkSessions':
      return plain('afk_sessions WHERE ended_ms IS NULL');
    case 'usersAtCap':
      return {
        sql: "earn_counters WHERE day = ? AND source = ? AND credits >= ? AND user_id <> '*'",
        values: [question.day, question.source, question.cap],
      };
    case 'renewedServers':
      return plain("servers WHERE state IN ('active', 'suspended') AND expires_ms IS NOT NULL");
    case 'expiredServers':
      return plain("servers WHERE state = 'suspended' AND suspend_reason = 'expired'");
    case 'openOrders':
      return question.provider === null
        ? plain(OPEN_ORDERS)
        : { sql: `${OPEN_ORDERS} AND provider = ?`, values: [question.provider] };
    case 'queueEntries':
      return plain("server_queue WHERE state IN ('queued', 'building')");
    case 'openReferrals':
      return plain("referrals WHERE state IN ('pending', 'qualified')");
    case 'queuedMails':
      return plain("mails WHERE state = 'queued'");
    case 'usableCodes':
      return plain('redeem_codes WHERE enabled = 1 AND uses_count < uses_total');
    case 'openTickets':
      return plain("tickets WHERE status <> 'closed'");
    case 'usersWithoutZone':
      return plain("users WHERE time_zone IS NULL AND status <> 'deleted'");
  }
}

/** Whom a change of a setting affects, counted up to a limit. */
export function affectedPart(raw: Raw): Pick<SettingsRepo, 'countAffected'> {
  return {
    async countAffected(question, limit) {
      const { sql, values } = rowsOf(question);
      const row = await raw.one<{ n: number }>(`SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${sql} LIMIT ?) AS counted`, [
        ...values,
        limit,
      ]);
      return Number(row?.n ?? 0);
    },
  };
}
