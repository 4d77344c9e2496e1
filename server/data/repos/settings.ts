import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { SettingsRepo } from '#server/modules/settings/ports.ts';

/** Stored settings. A setting without a row has its default. */
export function createSettingsRepo(db: Kysely<DB>): SettingsRepo {
  return {
    all: () => db.selectFrom('settings').select(['key', 'value']).execute(),
    async put(key, value, atMs) {
      await db
        .insertInto('settings')
        .values({ key, value, updated_ms: atMs })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_ms: atMs }))
        .execute();
    },
  };
}
