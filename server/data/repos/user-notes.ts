import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { PeopleRepo } from '#server/modules/people/ports.ts';

/** Notes of staff, and support PINs, in the database. */
export function notesPart(
  db: Kysely<DB>,
): Pick<PeopleRepo, 'listNotes' | 'findNote' | 'addNote' | 'deleteNote' | 'findPin' | 'setPin'> {
  return {
    async listNotes(userId, limit) {
      const rows = await db
        .selectFrom('user_notes')
        .leftJoin('users', 'users.id', 'user_notes.author_id')
        .selectAll('user_notes')
        .select('users.username as author')
        .where('user_notes.user_id', '=', userId)
        .orderBy('user_notes.created_ms', 'desc')
        .orderBy('user_notes.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, author_id: authorId, author, text, created_ms: createdMs }) => ({
        id,
        authorId,
        author,
        text,
        createdMs,
      }));
    },
    async findNote(id) {
      const row = await db
        .selectFrom('user_notes')
        .select(['user_id', 'author_id'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? { userId: row.user_id, authorId: row.author_id } : null;
    },
    async addNote({ id, userId, authorId, text, createdMs }) {
      await db
        .insertInto('user_notes')
        .values({ id, user_id: userId, author_id: authorId, text, created_ms: createdMs })
        .execute();
    },
    async deleteNote(id) {
      await db.deleteFrom('user_notes').where('id', '=', id).execute();
    },
    async findPin(userId, nowMs) {
      const row = await db
        .selectFrom('support_pins')
        .select(['pin', 'expires_ms'])
        .where('user_id', '=', userId)
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst();
      return row ? { pin: row.pin, expiresMs: row.expires_ms } : null;
    },
    async setPin({ userId, pin, createdMs, expiresMs }) {
      await db
        .deleteFrom('support_pins')
        .where((is) =>
          is.or([is('user_id', '=', userId), is.and([is('pin', '=', pin), is('expires_ms', '<=', createdMs)])]),
        )
        .execute();
      const added = await db
        .insertInto('support_pins')
        .values({ user_id: userId, pin, created_ms: createdMs, expires_ms: expiresMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('pin')
        .execute();
      return added.length > 0;
    },
  };
}
