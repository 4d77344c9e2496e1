import { PLACEMENTS } from '../panel-codes.ts';
import { locationInput, locationRow } from '../schemas/location.ts';
import { defineResource } from './types.ts';

/** Where servers run. */
export const locations = defineResource({
  area: 'locations',
  path: '/api/admin/locations',
  permission: 'admin.locations',
  operations: ['list', 'create', 'edit', 'delete'],
  row: locationRow,
  create: locationInput,
  update: locationInput,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    code: { format: 'code', sort: 'asc', hideOnPhone: true },
    address: { format: 'code' },
    used_slots: { format: 'usage', of: 'slots' },
    panel: { format: 'text', sort: 'asc', hideOnPhone: true },
    online: { format: 'switch' },
    vip_only: { format: 'flag' },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
  },
  groups: { basics: { columns: 2 }, placing: { columns: 2 }, panel: {} },
  fields: {
    name: { kind: 'text', group: 'basics' },
    code: { kind: 'code', group: 'basics' },
    description: { kind: 'textarea', group: 'basics', wide: true, rows: 2 },
    address: { kind: 'code', group: 'placing', wide: true },
    slots: { kind: 'number', group: 'placing' },
    position: { kind: 'number', group: 'placing' },
    online: { kind: 'switch', group: 'placing', wide: true },
    vip_only: { kind: 'switch', group: 'placing', wide: true },
    // One choice for both; `panel_location` has no component of its own.
    panel_id: { kind: 'custom', group: 'panel' },
    panel_location: { kind: 'custom', group: 'panel' },
    placement: { kind: 'select', group: 'panel', options: PLACEMENTS },
  },
  defaults: { slots: 20, online: true, position: 0, placement: 'spread' },
  filters: { online: { options: 'switch' }, vip_only: { options: 'switch' } },
  search: ['name', 'code', 'address', 'description'],
  sort: 'position',
  dependants: { servers: { refuses: true } },
  bulk: { delete: true, switch: 'online' },
});
