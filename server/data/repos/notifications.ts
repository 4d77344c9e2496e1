import type { Kysely } from 'kysely';
import type { Param, Raw } from '#server/data/raw.ts';
import { findRow, insertNew } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { NotificationRow, NotificationsRepo, Reader, StoredChoices } from '#server/modules/notifications/ports.ts';
import type { NotificationChoices, NotificationFacts } from '#shared/notifications.ts';
import { toContact, type ContactRow } from './identity-users.ts';

const toRow = (row: {
  id: string;
  kind: string;
  data: string;
  created_ms: number;
  read_ms: number | null;
}): NotificationRow => ({
  id: row.id,
  kind: row.kind,
  data: JSON.parse(row.data) as NotificationFacts,
  createdMs: row.created_ms,
  read: row.read_ms !== null,
});

const ADD =
  'INSERT INTO notifications (id, user_id, kind, data, unique_key, created_ms, read_ms, shown, digest) VALUES ';
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?)';
/** Most rows a statement adds. */
const ROWS_MAX = 50;
const readers = (marks: string) =>
  `SELECT u.id, u.username, u.first_name, u.email, u.locale, u.time_zone, u.status, u.verified_ms, c.choices, c.digest_hour, c.quiet_from, c.quiet_until,
    CASE WHEN EXISTS (SELECT 1 FROM push_subscriptions p WHERE p.user_id = u.id) THEN 1 ELSE 0 END AS has_browser
   FROM users u LEFT JOIN notification_choices c ON c.user_id = u.id WHERE u.id IN (${marks})`;
const marksOf = (list: readonly unknown[], mark = '?') => Array(list.length).fill(mark).join(', ');

interface ChoicesRow {
  readonly choices: string;
  readonly digest_hour: number;
  readonly quiet_from: number | null;
  readonly quiet_until: number | null;
}
function toChoices({
  choices,
  digest_hour: digestHour,
  quiet_from: from,
  quiet_until: until,
}: ChoicesRow): StoredChoices {
  return {
    choices: JSON.parse(choices) as NotificationChoices,
    digestHour,
    quiet: from === null || until === null ? null : { from, until },
  };
}

/** Notifications of users in the database. */
export function createNotificationsRepo(db: Kysely<DB>, raw: Raw): NotificationsRepo {
  return { ...notifications(db, raw), ...choices(db, raw), ...digests(db, raw) };
}

function notifications(
  db: Kysely<DB>,
  raw: Raw,
): Pick<
  NotificationsRepo,
  'addAll' | 'find' | 'countSince' | 'latest' | 'unread' | 'markRead' | 'markAllRead' | 'purge'
> {
  const read = (userId: string, atMs: number) =>
    db.updateTable('notifications').set({ read_ms: atMs }).where('user_id', '=', userId).where('read_ms', 'is', null);
  return {
    async addAll(rows) {
      const added = new Set<string>();
      for (let at = 0; at < rows.length; at += ROWS_MAX) {
        const some = rows.slice(at, at + ROWS_MAX);
        const values = some.flatMap(({ id, userId, kind, data, uniqueKey, createdMs, shown, digest }): Param[] => [
          id,
          userId,
          kind,
          JSON.stringify(data),
          uniqueKey,
          createdMs,
          // What nobody lists cannot be unread.
          shown ? null : createdMs,
          shown ? 1 : 0,
          digest ? 1 : 0,
        ]);
        const sql = `${ADD}${marksOf(some, ROW)} ON CONFLICT DO NOTHING RETURNING id`;
        for (const { id } of await raw.all<{ id: string }>(sql, values)) added.add(id);
      }
      return added;
    },
    async find(id) {
      const row = await findRow(raw, 'notifications', { id });
      return row ? { ...toRow(row), userId: row.user_id, shown: row.shown === 1 } : null;
    },
    async countSince(userId, sinceMs) {
      const { count } = await db
        .selectFrom('notifications')
        .select((is) => is.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('created_ms', '>', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async latest(userId, limit) {
      const rows = await db
        .selectFrom('notifications')
        .selectAll()
        .where('user_id', '=', userId)
        .where('shown', '=', 1)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toRow);
    },
    async unread(userId) {
      const row = await db
        .selectFrom('notifications')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('read_ms', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async markRead(userId, id, atMs) {
      const { numUpdatedRows } = await read(userId, atMs).where('id', '=', id).executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async markAllRead(userId, atMs) {
      await read(userId, atMs).execute();
    },
    async purge(beforeMs, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('notifications')
        .where('id', 'in', (from) =>
          from
            .selectFrom('notifications')
            .select('id')
            .where('created_ms', '<', beforeMs)
            .orderBy('created_ms')
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function choices(db: Kysely<DB>, raw: Raw): Pick<NotificationsRepo, 'findChoices' | 'listReaders' | 'putChoices'> {
  return {
    async findChoices(userId) {
      const row = await findRow(raw, 'notification_choices', { user_id: userId });
      return row ? toChoices(row) : null;
    },
    async listReaders(userIds) {
      const rows = await raw.all<
        { [K in keyof ChoicesRow]: ChoicesRow[K] | null } & ContactRow & { id: string; has_browser: number }
      >(readers(marksOf(userIds)), userIds);
      return new Map(
        rows.map((row): [string, Reader] => {
          const { choices: chosen, digest_hour: hour } = row;
          return [
            row.id,
            {
              chosen:
                chosen === null || hour === null ? null : toChoices({ ...row, choices: chosen, digest_hour: hour }),
              hasBrowser: row.has_browser === 1,
              contact: toContact(row),
            },
          ];
        }),
      );
    },
    async putChoices(userId, { choices: chosen, digestHour, quiet }: StoredChoices, atMs) {
      const values = {
        choices: JSON.stringify(chosen),
        digest_hour: digestHour,
        quiet_from: quiet?.from ?? null,
        quiet_until: quiet?.until ?? null,
        updated_ms: atMs,
      };
      await db
        .insertInto('notification_choices')
        .values({ user_id: userId, ...values })
        .onConflict((on) => on.column('user_id').doUpdateSet(values))
        .execute();
    },
  };
}

type DigestPart = Pick<
  NotificationsRepo,
  'addDigest' | 'moveDigest' | 'listDueDigests' | 'takeDigest' | 'listDigest' | 'emptyDigest'
>;

function digests(db: Kysely<DB>, raw: Raw): DigestPart {
  const waiting = (userId: string) =>
    db.selectFrom('notifications').where('user_id', '=', userId).where('digest', '=', 1);
  return {
    async addDigest(userId, dueMs) {
      await insertNew(raw, 'notification_digests', { user_id: userId, due_ms: dueMs });
    },
    async moveDigest(userId, dueMs) {
      await db.updateTable('notification_digests').set({ due_ms: dueMs }).where('user_id', '=', userId).execute();
    },
    async listDueDigests(nowMs, limit) {
      const rows = await db
        .selectFrom('notification_digests')
        .select('user_id')
        .where('due_ms', '<=', nowMs)
        .orderBy('due_ms')
        .limit(limit)
        .execute();
      return rows.map(({ user_id: userId }) => userId);
    },
    async takeDigest(userId, nowMs) {
      const row = await db
        .deleteFrom('notification_digests')
        .where('user_id', '=', userId)
        .where('due_ms', '<=', nowMs)
        .returning('due_ms')
        .executeTakeFirst();
      return row?.due_ms ?? null;
    },
    async listDigest(userId, limit) {
      const { count } = await waiting(userId)
        .select((is) => is.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const rows = await waiting(userId).selectAll().orderBy('created_ms').orderBy('id').limit(limit).execute();
      return { rows: rows.map(toRow), count: Number(count) };
    },
    async emptyDigest(userId) {
      await db
        .updateTable('notifications')
        .set({ digest: 0 })
        .where('user_id', '=', userId)
        .where('digest', '=', 1)
        .execute();
    },
  };
}
