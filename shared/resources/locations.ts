import * as z from 'zod/mini';
import { PLACEMENTS } from '../panel-codes.ts';
import { countryCode, hostName } from '../schemas/location.ts';
import { id, text as textOf } from '../schemas/primitives.ts';
import { column, computedNumber, flag, longText, name, number, onOff, position, readOnlyColumn } from './columns.ts';
import { defineResource } from './define.ts';

/** Locations, where servers run. */
export const locations = defineResource({
  area: 'locations',
  path: '/api/admin/locations',
  table: 'locations',
  permission: 'admin.locations',
  nav: { group: 'hosting', order: 3, icon: 'pin' },
  columns: {
    name: name(60),
    description: longText(0, 255, { field: { wide: true } }),
    code: column({
      store: { type: 'text' },
      row: z.string(),
      input: countryCode,
      list: { format: 'code', sort: 'asc', hideOnPhone: true },
      field: { kind: 'code' },
    }),
    address: column({
      store: { type: 'text' },
      row: z.string(),
      input: hostName,
      list: { format: 'code' },
      field: { kind: 'code', wide: true },
    }),
    slots: number(1, 100_000, { start: 20, list: null }),
    /** Servers that occupy a slot now. */
    used_slots: computedNumber('usage', { of: 'slots' }),
    online: onOff(true, { field: { wide: true } }),
    vip_only: flag({ field: { wide: true } }),
    position: position(),
    // The panel whose servers stand here, and which of its locations (or tags) it is; both null for the embedded panel
    // (behaviour 6.7). One choice for both; `panel_location` has no component of its own.
    panel_id: column({
      store: { type: 'text', nullable: true },
      row: z.nullable(z.string()),
      input: z.optional(z.nullable(id)),
      field: { kind: 'custom' },
    }),
    panel_location: column({
      store: { type: 'text', nullable: true },
      row: z.nullable(z.string()),
      input: z.optional(z.nullable(textOf(1, 200))),
      field: { kind: 'custom' },
    }),
    /** Name of the panel. */
    panel: readOnlyColumn({
      store: { type: 'name', derived: true, nullable: true },
      row: z.nullable(z.string()),
      list: { format: 'text', sort: 'asc', hideOnPhone: true },
    }),
    placement: column({
      store: { type: 'text' },
      row: z.enum(PLACEMENTS),
      input: z.optional(z.enum(PLACEMENTS)),
      field: { kind: 'select', options: PLACEMENTS },
      start: 'spread',
    }),
  },
  list: ['name', 'code', 'address', 'used_slots', 'panel', 'online', 'vip_only', 'position'],
  groups: {
    basics: { columns: 2, fields: ['name', 'code', 'description'] },
    placing: { columns: 2, fields: ['address', 'slots', 'position', 'online', 'vip_only'] },
    panel: { fields: ['panel_id', 'panel_location', 'placement'] },
  },
  title: 'name',
  search: ['name', 'code', 'address', 'description'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { servers: { refuses: true } },
  bulk: { delete: true, switch: 'online' },
});

/** The input of a location. */
export type LocationInput = z.output<typeof locations.create>;
