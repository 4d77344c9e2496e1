import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { Audit, DB } from '#server/data/schema.ts';
import { currentAction, renamedActionsWith } from '#server/modules/audit/former-actions.ts';
import type { ActivityCursor, AuditEntry, AuditRepo } from '#server/modules/audit/ports.ts';

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
const print = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

const toEntry = (row: Selectable<Audit>): AuditEntry => ({
  id: row.id,
  atMs: row.at_ms,
  actorId: row.actor_id,
  action: currentAction(row.action),
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

/** The audit log in the database. Rows are only ever added, until what is personal in them is too old. */
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
    async listForStaff({ areas, text, actor, requestId, sinceMs }, before, limit) {
      if (areas?.length === 0) return [];
      const rows = newest(named())
        .where('audit.action', 'not like', 'account.%')
        .$if(areas !== null, (query) => query.where(inAreas(areas ?? [])))
        .$if(text !== undefined, (query) => query.where(holdsText(text ?? '')))
        .$if(actor !== undefined, (query) => query.where('users.username_key', '=', (actor ?? '').toLowerCase()))
        .$if(requestId !== undefined, (query) => query.where('audit.request_id', '=', requestId ?? ''))
        .$if(sinceMs !== undefined, (query) => query.where('audit.at_ms', '>=', sinceMs ?? 0))
        .$if(before !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('audit.at_ms', 'audit.id'), '<', tuple(before?.atMs ?? 0, before?.id ?? '')),
          ),
        )
        .limit(limit);
      return (await rows.execute()).map(toNamed);
    },
    async find(id) {
      const row = await named().where('audit.id', '=', id).executeTakeFirst();
      return row ? toNamed(row) : null;
    },
    forget: (beforeMs, limit) => forgetPersonal(db, beforeMs, limit),
    latest: async (limit) => (await newest(named()).limit(limit).execute()).map(toNamed),
  };
}

/** Deletes what users did to their own accounts, and takes address and device off the rest. Out: rows it found. */
async function forgetPersonal(db: Kysely<DB>, beforeMs: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('audit')
    .select(['id', 'action'])
    .where('address', 'is not', null)
    .where('at_ms', '<', beforeMs)
    .orderBy('at_ms')
    .limit(limit)
    .execute();
  const idsOf = (isOwn: boolean) =>
    rows.filter(({ action }) => action.startsWith('account.') === isOwn).map(({ id }) => id);
  const [own, others] = [idsOf(true), idsOf(false)];
  if (own.length > 0) await db.deleteFrom('audit').where('id', 'in', own).execute();
  if (others.length > 0)
    await db.updateTable('audit').set({ address: null, device: null }).where('id', 'in', others).execute();
  return rows.length;
}

type Where = ExpressionBuilder<DB, 'audit'>;

/** Actions of some areas, along the order of their names. */
const inAreas = (areas: readonly string[]) => (eb: Where) =>
  eb.or(areas.map((area) => eb.and([eb('audit.action', '>=', `${area}.`), eb('audit.action', '<', `${area}/`)])));

/** A part of the action, the target or a value: what is gone when it is taken out was there. No pattern means anything. */
const holdsText = (text: string) => (eb: Where) => {
  const columns = ['audit.action', 'audit.target', 'audit.before', 'audit.after'] as const;
  const held = columns.map((column) => {
    const lower = eb.fn<string>('lower', [column]);
    return eb(eb.fn<string>('replace', [lower, eb.val(text.toLowerCase()), eb.val('')]), '<>', lower);
  });
  const renamed = renamedActionsWith(text);
  return eb.or(renamed.length === 0 ? held : [...held, eb('audit.action', 'in', renamed)]);
};

const toNamed = (row: Selectable<Audit> & { readonly actor: string | null }) => ({ ...toEntry(row), actor: row.actor });
