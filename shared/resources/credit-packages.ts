import * as z from 'zod/mini';
import { MAX_MINOR } from '../money.ts';
import { currency, MAX_ORDER_CREDITS } from '../schemas/payment.ts';
import { wholeNumber } from '../schemas/primitives.ts';
import { column, computedNumber, credits, name, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** Packages of credits sold for money (behaviour 5.3), under permissions of their own: they set what real money buys. */
export const creditPackages = defineResource({
  area: 'creditPackages',
  path: '/api/admin/credit-packages',
  table: 'credit_packages',
  permission: 'admin.credit.packages',
  nav: { group: 'economy', order: 11, icon: 'boxes' },
  columns: {
    name: name(80, { field: { wide: true } }),
    /** What is charged, tax included, in minor units. */
    price_minor: column({
      store: { type: 'int' },
      row: z.int(),
      input: wholeNumber(1, MAX_MINOR),
      list: { format: 'custom', sort: 'asc' },
      field: { kind: 'custom' },
    }),
    currency: column({
      store: { type: 'text' },
      row: z.string(),
      input: currency,
      field: { kind: 'code' },
      start: 'EUR',
    }),
    credits: credits(1, MAX_ORDER_CREDITS, { list: { sort: 'desc' } }),
    /** Bonus credits. */
    bonus: credits(0, MAX_ORDER_CREDITS, { start: 0, list: { hideOnPhone: true } }),
    position: position(),
    visible: onOff(true, { field: { wide: true } }),
    /** Orders of it that were paid. */
    sold: computedNumber('number', { hideOnPhone: true }),
  },
  list: ['name', 'price_minor', 'credits', 'bonus', 'sold', 'position', 'visible'],
  groups: {
    basics: { columns: 2, fields: ['name', 'credits', 'bonus'] },
    selling: { columns: 2, fields: ['price_minor', 'currency', 'position', 'visible'] },
  },
  title: 'name',
  search: ['name'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { orders: { refuses: false } },
  bulk: { delete: true, switch: 'visible' },
});

/** The input of a package. */
export type CreditPackageInput = z.output<typeof creditPackages.create>;
