import { sql } from 'kysely';
import { storeItems } from '#shared/resources/store-items.ts';
import { tableSql } from './map.ts';

export const storeItemsSql = tableSql(storeItems, {
  derive: {
    sold: () =>
      sql`coalesce((select cast(sum(store_purchases.units) as bigint) from store_purchases where store_purchases.item_id = store_items.id and store_purchases.refunded_ms is null), 0)`,
  },
  dependants: { purchases: (id) => sql`(select count(*) from store_purchases where store_purchases.item_id = ${id})` },
});
