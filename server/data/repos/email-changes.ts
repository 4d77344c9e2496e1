import type { Kysely, Selectable } from 'kysely';
import type { DB, EmailChanges } from '#server/data/schema.ts';
import type { EmailChange, EmailChangesRepo } from '#server/modules/identity/email-ports.ts';
import { normaliseName } from '#shared/names.ts';

const toChange = (row: Selectable<EmailChanges>): EmailChange => ({
  id: row.id,
  userId: row.user_id,
  oldEmail: row.old_email,
  newEmail: row.new_email,
  passwordVersion: row.password_version,
  createdMs: row.created_ms,
  doneMs: row.done_ms,
  expiresMs: row.expires_ms,
});

/** Changes of addresses in the database. */
export function createEmailChangesRepo(db: Kysely<DB>): EmailChangesRepo {
  return {
    async add(change) {
      await db
        .insertInto('email_changes')
        .values({
          id: change.id,
          user_id: change.userId,
          old_email: change.oldEmail,
          old_email_key: normaliseName(change.oldEmail),
          new_email: change.newEmail,
          password_version: change.passwordVersion,
          confirm_hash: change.confirmHash,
          undo_hash: null,
          created_ms: change.createdMs,
          done_ms: null,
          expires_ms: change.expiresMs,
        })
        .execute();
    },
    async findByLink(link, hash, nowMs) {
      const open = db.selectFrom('email_changes').selectAll().where('expires_ms', '>', nowMs);
      const row = await (
        link === 'confirm'
          ? open.where('confirm_hash', '=', hash).where('done_ms', 'is', null)
          : open.where('undo_hash', '=', hash)
      ).executeTakeFirst();
      return row ? toChange(row) : null;
    },
    async findPending(userId, nowMs) {
      const row = await db
        .selectFrom('email_changes')
        .selectAll()
        .where('user_id', '=', userId)
        .where('done_ms', 'is', null)
        .where('expires_ms', '>', nowMs)
        .orderBy('created_ms', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toChange(row) : null;
    },
    async deletePending(userId, nowMs) {
      const ended = await db
        .deleteFrom('email_changes')
        .where('user_id', '=', userId)
        .where('done_ms', 'is', null)
        .returning('expires_ms')
        .execute();
      return ended.some((row) => row.expires_ms > nowMs);
    },
    async markDone(id, { undoHash, atMs, untilMs }) {
      await db
        .updateTable('email_changes')
        .set({ undo_hash: undoHash, done_ms: atMs, expires_ms: untilMs })
        .where('id', '=', id)
        .execute();
    },
    async deleteSince(userId, sinceMs) {
      await db.deleteFrom('email_changes').where('user_id', '=', userId).where('created_ms', '>=', sinceMs).execute();
    },
    async isReserved(email, exceptUserId, nowMs) {
      let query = db
        .selectFrom('email_changes')
        .select('id')
        .where('old_email_key', '=', normaliseName(email))
        .where('undo_hash', 'is not', null)
        .where('expires_ms', '>', nowMs);
      if (exceptUserId !== null) query = query.where('user_id', '!=', exceptUserId);
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
    async purge(nowMs) {
      await db.deleteFrom('email_changes').where('expires_ms', '<=', nowMs).execute();
    },
  };
}
