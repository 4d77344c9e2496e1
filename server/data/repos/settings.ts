import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { SettingsRepo } from '#server/modules/settings/ports.ts';
import { affectedPart } from './setting-effects.ts';

/** Key of PostgreSQL's advisory lock for changes of settings. Any fixed number that nobody else uses will do. */
const SETTINGS_LOCK = 7_403_111;

/** Stored settings. A setting without a row has its default. */
export function createSettingsRepo(db: Kysely<DB>, raw: Raw): SettingsRepo {
  return {
    ...affectedPart(raw),
    async all() {
      const rows = await db.selectFrom('settings').selectAll().execute();
      return rows.map(({ updated_ms: updatedMs, ...row }) => ({ ...row, updatedMs }));
    },
    async put(key, value, atMs) {
      await db
        .insertInto('settings')
        .values({ key, value, updated_ms: atMs })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet(({ eb, ref }) => ({
            value,
            updated_ms: atMs,
            revision: eb(ref('settings.revision'), '+', 1),
          })),
        )
        .execute();
    },
    async lock() {
      // SQLite has one writer at a time anyway.
      if (raw.dialect === 'postgres') await raw.run('SELECT pg_advisory_xact_lock(?)', [SETTINGS_LOCK]);
    },
  };
}
