import { sql } from 'kysely';
import { locations } from '#shared/resources/locations.ts';
import { COMMON, mapTable, serversWith } from './map.ts';

export const locationsTable = mapTable(locations, 'locations', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    description: { column: 'description', type: 'text' },
    code: { column: 'code', type: 'text' },
    address: { column: 'address', type: 'text' },
    slots: { column: 'slots', type: 'int' },
    // The same states as CatalogRepo.locationUse: a failed or deleted server holds no slot.
    used_slots: {
      type: 'int',
      derive: () =>
        sql`(select count(*) from servers where servers.location_id = locations.id and servers.state not in ('deleted', 'failed'))`,
    },
    online: { column: 'online', type: 'bit' },
    vip_only: { column: 'vip_only', type: 'bit' },
    position: { column: 'position', type: 'int' },
    panel_id: { column: 'panel_id', type: 'text' },
    panel_location: { column: 'panel_location', type: 'text' },
    panel: { type: 'name', derive: () => sql`(select panels.name from panels where panels.id = locations.panel_id)` },
    placement: { column: 'placement', type: 'text' },
  },
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { servers: (id) => serversWith('location_id', sql`${id}`) },
});
