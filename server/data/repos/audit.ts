import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { Audit, DB } from '#server/data/schema.ts';
import type { ActivityCursor, AuditEntry, AuditRepo } from '#server/modules/audit/ports.ts';

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
const print = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

const toEntry = (row: Selectable<Audit>): AuditEntry => ({
  id: row.id,
  atMs: row.at_ms,
  actorId: row.actor_id,
  action: row.action,
  target: row.target,
  before: parse(row.before),
  after: parse(row.after),
  address: row.address,
  device: row.device,
  requestId: row.request_id,
});

/** Entries before a cursor, the newest first. */
function pageOf(db: Kysely<DB>, before: ActivityCursor | null, limit: number) {
  const rows = db.selectFrom('audit').selectAll().orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit);
  if (before === null) return rows;
  return rows.where(({ eb, refTuple, tuple }) => eb(refTuple('at_ms', 'id'), '<', tuple(before.atMs, before.id)));
}

/** The first of several pages together. */
const newestFirst = (rows: readonly Selectable<Audit>[], limit: number): AuditEntry[] =>
  rows
    .toSorted((a, b) => b.at_ms - a.at_ms || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map(toEntry);

/** The audit log in the database. Rows are only ever added. */
export function createAuditRepo(db: Kysely<DB>, raw: Raw): AuditRepo {
  /** Rows with the name of who acted. */
  const named = () =>
    db
      .selectFrom('audit')
      .leftJoin('users', 'users.id', 'audit.actor_id')
      .selectAll('audit')
      .select('users.username as actor');
  const newest = (rows: ReturnType<typeof named>) => rows.orderBy('audit.at_ms', 'desc').orderBy('audit.id', 'desc');
  return {
    async add({ id, atMs, actorId, action, target, before, after, address, device, requestId }) {
      await insertRow(raw, 'audit', {
        id,
        at_ms: atMs,
        actor_id: actorId,
        action,
        target,
        before: print(before),
        after: print(after),
        address,
        device,
        request_id: requestId,
      });
    },
    async listActivity(userId, staff, before, limit) {
      const page = () => pageOf(db, before, limit);
      const own = await page()
        .where('actor_id', '=', userId)
        .where('action', '>=', 'account.')
        .where('action', '<', 'account/')
        .execute();
      const others = await page()
        .where('target', '=', userId)
        .where((is) => is.or([is('actor_id', 'is', null), is('actor_id', '!=', userId)]))
        .where((is) =>
          is.or([
            is.and([is('action', '>=', 'account.'), is('action', '<', 'account/')]),
            is('action', 'in', [...staff]),
          ]),
        )
        .execute();
      return newestFirst([...own, ...others], limit);
    },
    async listAreaActivity(userId, areas, before, limit) {
      const page = () => {
        const rows = pageOf(db, before, limit);
        if (areas === null) return rows;
        return rows.where((is) =>
          is.or(areas.map((area) => is.and([is('action', '>=', `${area}.`), is('action', '<', `${area}/`)]))),
        );
      };
      const own = await page().where('actor_id', '=', userId).execute();
      const others = await page()
        .where('target', '=', userId)
        .where((is) => is.or([is('actor_id', 'is', null), is('actor_id', '!=', userId)]))
        .execute();
      return newestFirst([...own, ...others], limit);
    },
    async listOfTargets(action, targets, before, limit) {
      const all = named()
        .where('audit.action', '=', action)
        .where('audit.target', 'in', [...targets]);
      const rows = before
        ? all.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('audit.at_ms', 'audit.id'), '<', tuple(before.atMs, before.id)),
          )
        : all;
      return (await newest(rows).limit(limit).execute()).map(toNamed);
    },
    async find(id) {
      const row = await named().where('audit.id', '=', id).executeTakeFirst();
      return row ? toNamed(row) : null;
    },
    latest: async (limit) => (await newest(named()).limit(limit).execute()).map(toNamed),
  };
}

const toNamed = (row: Selectable<Audit> & { readonly actor: string | null }) => ({ ...toEntry(row), actor: row.actor });
