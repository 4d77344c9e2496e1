import { sql } from 'kysely';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { COMMON, mapTable } from './map.ts';

export const creditPackagesTable = mapTable(creditPackages, 'credit_packages', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    price_minor: { column: 'price_minor', type: 'int' },
    currency: { column: 'currency', type: 'text' },
    credits: { column: 'credits', type: 'int' },
    bonus: { column: 'bonus', type: 'int' },
    position: { column: 'position', type: 'int' },
    visible: { column: 'visible', type: 'bit' },
    sold: {
      type: 'int',
      derive: () =>
        sql`(select count(*) from payment_orders where payment_orders.package_id = credit_packages.id and payment_orders.credited_tx is not null)`,
    },
  },
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { orders: (id) => sql`(select count(*) from payment_orders where payment_orders.package_id = ${id})` },
});
