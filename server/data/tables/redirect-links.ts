import { sql } from 'kysely';
import { redirectLinks } from '#shared/resources/redirect-links.ts';
import { tableSql } from './map.ts';

export const redirectLinksSql = tableSql(redirectLinks, {
  derive: {
    clicks: () =>
      sql`(select cast(coalesce(sum(redirect_link_days.clicks), 0) as bigint) from redirect_link_days where redirect_link_days.link_id = redirect_links.id)`,
  },
  dependants: {
    clicks: (id) =>
      sql`(select cast(coalesce(sum(clicks), 0) as bigint) from redirect_link_days where link_id = ${id})`,
  },
});
