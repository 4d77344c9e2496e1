import { sql } from 'kysely';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { tableSql } from './map.ts';

export const creditPackagesSql = tableSql(creditPackages, {
  derive: {
    sold: () =>
      sql`(select count(*) from payment_orders where payment_orders.package_id = credit_packages.id and payment_orders.credited_tx is not null)`,
  },
  dependants: { orders: (id) => sql`(select count(*) from payment_orders where payment_orders.package_id = ${id})` },
});
