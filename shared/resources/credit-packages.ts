import { creditPackageInput, creditPackageRow } from '../schemas/payment.ts';
import { defineResource } from './types.ts';

/**
 * Packages of credits that are sold for money (behaviour 5.3), under rights of their own: whoever writes one sets what
 * real money buys.
 */
export const creditPackages = defineResource({
  area: 'creditPackages',
  path: '/api/admin/credit-packages',
  permission: 'admin.credit.packages',
  operations: ['list', 'create', 'edit', 'delete'],
  row: creditPackageRow,
  create: creditPackageInput,
  update: creditPackageInput,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    price_minor: { format: 'custom', sort: 'asc' },
    credits: { format: 'credits', sort: 'desc' },
    bonus: { format: 'credits', hideOnPhone: true },
    sold: { format: 'number', hideOnPhone: true },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
    visible: { format: 'switch' },
  },
  groups: { basics: { columns: 2 }, selling: { columns: 2 } },
  fields: {
    name: { kind: 'text', group: 'basics', wide: true },
    credits: { kind: 'number', group: 'basics' },
    bonus: { kind: 'number', group: 'basics' },
    price_minor: { kind: 'custom', group: 'selling' },
    currency: { kind: 'code', group: 'selling' },
    position: { kind: 'number', group: 'selling' },
    visible: { kind: 'switch', group: 'selling', wide: true },
  },
  defaults: { bonus: 0, currency: 'EUR', position: 0, visible: true },
  filters: { visible: { options: 'switch' } },
  search: ['name'],
  sort: 'position',
  dependants: { orders: { refuses: false } },
  bulk: { delete: true, switch: 'visible' },
});
