import type { Raw } from '#server/data/raw.ts';
import type { Problem } from '#server/modules/payments/ports.ts';

interface ProblemRow {
  kind: 'event' | 'order';
  id: string;
  provider: Problem['provider'];
  order_id: string | null;
  label: string | null;
  type: string | null;
  reason: string;
  at_ms: number;
}

/**
 * What staff have to see to, the latest first: each kind along its own index, then both by time. What a gateway refused
 * to open is no problem: nobody can have paid it.
 */
export async function paymentProblems(raw: Raw, sinceMs: number, limit: number): Promise<Problem[]> {
  const rows = await raw.all<ProblemRow>(
    `SELECT * FROM (
       SELECT * FROM (SELECT 'event' AS kind, e.id, e.provider, e.order_id, o.label, e.type, e.reason, e.received_ms AS at_ms
         FROM payment_events e LEFT JOIN payment_orders o ON o.id = e.order_id
         WHERE e.outcome = 'received' AND e.reason IS NOT NULL AND e.received_ms >= ? ORDER BY e.received_ms DESC, e.id DESC LIMIT ?) AS events
       UNION ALL SELECT * FROM (SELECT 'event' AS kind, id, provider, NULL AS order_id, NULL AS label, type, reason, received_ms AS at_ms
         FROM payment_events WHERE outcome = 'unknown' AND reason IS NOT NULL AND received_ms >= ? ORDER BY received_ms DESC, id DESC LIMIT ?) AS strangers
       UNION ALL SELECT * FROM (SELECT 'order' AS kind, id, provider, id AS order_id, label, NULL AS type, failure AS reason, updated_ms AS at_ms
         FROM payment_orders WHERE failure IS NOT NULL AND failure <> 'GATEWAY' AND updated_ms >= ? ORDER BY updated_ms DESC, id DESC LIMIT ?) AS orders
     ) AS both_kinds ORDER BY at_ms DESC, id DESC LIMIT ?`,
    [sinceMs, limit, sinceMs, limit, sinceMs, limit, limit],
  );
  return rows.map(({ kind, id, provider, order_id: orderId, label, type, reason, at_ms: atMs }) => ({
    kind,
    id,
    provider,
    orderId,
    label,
    type,
    reason,
    atMs,
  }));
}
