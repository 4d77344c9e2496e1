import type { Kysely } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB } from '#server/data/schema.ts';
import type { MenuLink, RedirectLinksRepo } from '#server/modules/redirect-links/index.ts';
import type { LinkAudience } from '#shared/schemas/redirect-links.ts';

/** Redirect links and their clicks in the database. */
export function createRedirectLinksRepo(db: Kysely<DB>): RedirectLinksRepo {
  return {
    async lockEnabled(slug) {
      const row = await forUpdate(
        db
          .selectFrom('redirect_links')
          .select(['id', 'name', 'target', 'audience'])
          .where('slug', '=', slug)
          .where('enabled', '=', 1),
      ).executeTakeFirst();
      return row ? { ...row, audience: row.audience as LinkAudience } : null;
    },
    async menu(audiences, limit) {
      const rows = await db
        .selectFrom('redirect_links')
        .select(['name', 'slug', 'icon', 'menu'])
        .where('enabled', '=', 1)
        .where('menu', '<>', 'none')
        .where('audience', 'in', [...audiences])
        .orderBy('position')
        .orderBy('name')
        .limit(limit)
        .execute();
      return rows as MenuLink[];
    },
    async addClick(id, day) {
      await db
        .insertInto('redirect_link_days')
        .values({ link_id: id, day, clicks: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['link_id', 'day'])
            .doUpdateSet((eb) => ({ clicks: eb('redirect_link_days.clicks', '+', 1) })),
        )
        .execute();
    },
    async days(id, fromDay) {
      const link = await db.selectFrom('redirect_links').select('id').where('id', '=', id).executeTakeFirst();
      if (!link) return null;
      return db
        .selectFrom('redirect_link_days')
        .select(['day', 'clicks'])
        .where('link_id', '=', id)
        .where('day', '>=', fromDay)
        .orderBy('day')
        .execute();
    },
  };
}
