import { RESOURCE_KINDS } from '../constants.ts';
import { storeItemInput, storeItemRow } from '../schemas/store-item.ts';
import { defineResource } from './types.ts';

/** What the store sells (behaviour 5.1). */
export const storeItems = defineResource({
  area: 'storeItems',
  path: '/api/admin/store-items',
  permission: 'admin.store.items',
  operations: ['list', 'create', 'edit', 'delete'],
  row: storeItemRow,
  create: storeItemInput,
  update: storeItemInput,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    kind: { format: 'custom' },
    quantity: { format: 'number' },
    price: { format: 'credits', sort: 'asc' },
    limit_total: { format: 'number', hideOnPhone: true },
    sold: { format: 'number', hideOnPhone: true },
    visible: { format: 'switch' },
    vip_only: { format: 'flag' },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
  },
  groups: { basics: { columns: 2 }, placing: { columns: 2 } },
  fields: {
    name: { kind: 'text', group: 'basics', wide: true },
    kind: { kind: 'select', group: 'basics', options: RESOURCE_KINDS },
    quantity: { kind: 'number', group: 'basics' },
    price: { kind: 'number', group: 'basics' },
    limit_total: { kind: 'number', group: 'basics' },
    position: { kind: 'number', group: 'placing' },
    visible: { kind: 'switch', group: 'placing', wide: true },
    vip_only: { kind: 'switch', group: 'placing', wide: true },
  },
  defaults: { kind: 'memory', quantity: 1, position: 0, visible: true, vip_only: false },
  filters: { kind: { options: RESOURCE_KINDS }, visible: { options: 'switch' }, vip_only: { options: 'switch' } },
  search: ['name'],
  sort: 'position',
  dependants: { purchases: { refuses: false } },
  bulk: { delete: true, switch: 'visible' },
});
