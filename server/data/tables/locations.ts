import { sql } from 'kysely';
import { locations } from '#shared/resources/locations.ts';
import { serversWith, tableSql } from './map.ts';

export const locationsSql = tableSql(locations, {
  derive: {
    // The same states as CatalogRepo.locationUse: a failed or deleted server holds no slot.
    used_slots: () =>
      sql`(select count(*) from servers where servers.location_id = locations.id and servers.state not in ('deleted', 'failed'))`,
    panel: () => sql`(select panels.name from panels where panels.id = locations.panel_id)`,
  },
  dependants: { servers: (id) => serversWith('location_id', sql`${id}`) },
});
