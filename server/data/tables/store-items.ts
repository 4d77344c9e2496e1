import { sql } from 'kysely';
import { storeItems } from '#shared/resources/store-items.ts';
import { COMMON, mapTable } from './map.ts';

export const storeItemsTable = mapTable(storeItems, 'store_items', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    kind: { column: 'kind', type: 'text' },
    quantity: { column: 'quantity', type: 'int' },
    price: { column: 'price', type: 'int' },
    limit_total: { column: 'limit_total', type: 'int' },
    sold: {
      type: 'int',
      derive: () =>
        sql`coalesce((select cast(sum(store_purchases.units) as bigint) from store_purchases where store_purchases.item_id = store_items.id and store_purchases.refunded_ms is null), 0)`,
    },
    position: { column: 'position', type: 'int' },
    visible: { column: 'visible', type: 'bit' },
    vip_only: { column: 'vip_only', type: 'bit' },
  },
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { purchases: (id) => sql`(select count(*) from store_purchases where store_purchases.item_id = ${id})` },
});
