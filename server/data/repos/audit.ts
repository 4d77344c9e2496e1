import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { AuditRepo } from '#server/modules/audit/ports.ts';

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
const print = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

/** The audit trail in the database. Rows are only ever added. */
export function createAuditRepo(db: Kysely<DB>, raw: Raw): AuditRepo {
  return {
    async add({ id, atMs, actorId, action, target, before, after, address, requestId }) {
      await insertRow(raw, 'audit', {
        id,
        at_ms: atMs,
        actor_id: actorId,
        action,
        target,
        before: print(before),
        after: print(after),
        address,
        request_id: requestId,
      });
    },
    async latest(limit) {
      const rows = await db
        .selectFrom('audit')
        .leftJoin('users', 'users.id', 'audit.actor_id')
        .selectAll('audit')
        .select('users.username as actor')
        .orderBy('audit.at_ms', 'desc')
        .orderBy('audit.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        atMs: row.at_ms,
        actorId: row.actor_id,
        actor: row.actor,
        action: row.action,
        target: row.target,
        before: parse(row.before),
        after: parse(row.after),
        address: row.address,
        requestId: row.request_id,
      }));
    },
  };
}
