import { eggCategoryInput, eggCategoryRow } from '../schemas/egg-category.ts';
import { defineResource } from './types.ts';

/** Groups of eggs. */
export const eggCategories = defineResource({
  area: 'eggCategories',
  path: '/api/admin/egg-categories',
  permission: 'admin.nests',
  operations: ['list', 'create', 'edit', 'delete'],
  row: eggCategoryRow,
  create: eggCategoryInput,
  update: eggCategoryInput,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    description: { format: 'text', wrap: true },
    eggs: { format: 'number' },
    enabled: { format: 'switch' },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
  },
  groups: { basics: {} },
  fields: {
    name: { kind: 'text', group: 'basics' },
    description: { kind: 'textarea', group: 'basics', rows: 2 },
    position: { kind: 'number', group: 'basics' },
    enabled: { kind: 'switch', group: 'basics' },
  },
  defaults: { enabled: true, position: 0 },
  filters: { enabled: { options: 'switch' } },
  search: ['name', 'description'],
  sort: 'position',
  dependants: { eggs: { refuses: true, link: { area: 'eggs', filter: 'category_id' } }, servers: { refuses: true } },
  bulk: { delete: true, switch: 'enabled' },
});
