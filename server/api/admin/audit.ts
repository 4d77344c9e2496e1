import { toCsv } from '#server/api/csv.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { AuditLog } from '#server/modules/audit/index.ts';
import type { adminAudit } from '#shared/contract/logs.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { iso } from '#shared/time.ts';

/** The audit log for staff. */
export function auditHandlers({ auditLog }: { auditLog: AuditLog }): Handlers<typeof adminAudit> {
  return {
    async list(ctx, { query: { q: text, actor, request: requestId, days, before } }) {
      const [, atMs, id] = PAST_CURSOR.exec(before ?? '') ?? [];
      const cursor = atMs === undefined || id === undefined ? null : { atMs: Number(atMs), id };
      const { entries, older } = await auditLog.list(ctx, { text, actor, requestId, days }, cursor);
      return {
        entries: entries.map(({ atMs, requestId: request, ...entry }) => ({
          ...entry,
          at: iso(atMs),
          request_id: request,
        })),
        older: older && `${older.atMs}.${older.id}`,
      };
    },
    async export(ctx, { query: { q: text, actor, request: requestId, days } }) {
      const entries = await auditLog.listAll(ctx, { text, actor, requestId, days });
      const body = toCsv([
        ['at', 'actor', 'action', 'target', 'changes', 'address', 'device', 'request_id'],
        ...entries.map((entry) => [
          iso(entry.atMs),
          entry.actor ?? '',
          entry.action,
          entry.target ?? '',
          entry.changes.map(({ name, before, after }) => `${name}: ${before ?? ''} → ${after ?? ''}`).join('; '),
          entry.address ?? '',
          entry.device ?? '',
          entry.requestId ?? '',
        ]),
      ]);
      return { filename: 'audit.csv', body };
    },
  };
}
