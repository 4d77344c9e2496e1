import { RESOURCE_KINDS } from '../constants.ts';
import { choice, computedNumber, credits, flag, name, number, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** What the store sells (behaviour 5.1). */
export const storeItems = defineResource({
  area: 'storeItems',
  path: '/api/admin/store-items',
  table: 'store_items',
  permission: 'admin.store.items',
  nav: { group: 'economy', order: 2, icon: 'store' },
  columns: {
    /** The name for staff; players see kind and amount. */
    name: name(60, { field: { wide: true } }),
    kind: { ...choice(RESOURCE_KINDS, { start: 'memory' }), list: { format: 'custom' }, filter: RESOURCE_KINDS },
    /** Amount one unit adds: MB, percent or count. */
    quantity: number(1, 1_048_576, { start: 1 }),
    /** Credits a unit. */
    price: credits(1, 1_000_000, { list: { sort: 'asc' } }),
    /** The limit up to which the store sells this kind to a user. */
    limit_total: number(1, 104_857_600, { list: { hideOnPhone: true } }),
    /** Units sold and not refunded. */
    sold: computedNumber('number', { hideOnPhone: true }),
    position: position(),
    visible: onOff(true, { field: { wide: true } }),
    vip_only: flag({ field: { wide: true } }),
  },
  list: ['name', 'kind', 'quantity', 'price', 'limit_total', 'sold', 'visible', 'vip_only', 'position'],
  groups: {
    basics: { columns: 2, fields: ['name', 'kind', 'quantity', 'price', 'limit_total'] },
    placing: { columns: 2, fields: ['position', 'visible', 'vip_only'] },
  },
  title: 'name',
  search: ['name'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { purchases: { refuses: false } },
  bulk: { delete: true, switch: 'visible' },
});
