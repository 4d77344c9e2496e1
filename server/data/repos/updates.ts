import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { UpdatesRepo } from '#server/modules/updates/ports.ts';
import { UPDATE_OUTCOMES } from '#shared/updates.ts';

/** What is known of the feed of releases: one row, which of two checks at once writes one after the other. */
export function createUpdatesRepo(db: Kysely<DB>): UpdatesRepo {
  return {
    async find() {
      const row = await db.selectFrom('update_feed').selectAll().executeTakeFirst();
      return row
        ? {
            publicKey: row.public_key,
            checkedMs: row.checked_ms,
            outcome: UPDATE_OUTCOMES.find((each) => each === row.outcome) ?? 'invalid',
            content: row.content,
          }
        : null;
    },
    async forget() {
      const gone = await db.deleteFrom('update_feed').returning('id').execute();
      return gone.length > 0;
    },
    async save({ publicKey, checkedMs, outcome, edition }) {
      const check = { public_key: publicKey, checked_ms: checkedMs, outcome };
      const none = { sequence: 0, content: null };
      await db
        .insertInto('update_feed')
        .values({ id: 1, ...check, ...none })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ checked_ms: checkedMs, outcome }))
        .execute();
      await db
        .updateTable('update_feed')
        .set({ ...check, ...none })
        .where('public_key', '<>', publicKey)
        .execute();
      if (!edition) return;
      const taken = await db
        .updateTable('update_feed')
        .set(edition)
        .where('sequence', '<=', edition.sequence)
        .returning('id')
        .execute();
      if (taken.length === 0) await db.updateTable('update_feed').set({ outcome: 'replayed' }).execute();
    },
  };
}
