import { computedNumber, longText, name, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** Groups of eggs. */
export const eggCategories = defineResource({
  area: 'eggCategories',
  path: '/api/admin/egg-categories',
  table: 'egg_categories',
  permission: 'admin.nests',
  nav: { group: 'hosting', order: 4, icon: 'layers' },
  columns: {
    name: name(60),
    description: longText(0, 255, { list: {} }),
    enabled: onOff(true),
    position: position(),
    eggs: computedNumber('number'),
  },
  list: ['name', 'description', 'eggs', 'enabled', 'position'],
  groups: { basics: { fields: ['name', 'description', 'position', 'enabled'] } },
  title: 'name',
  search: ['name', 'description'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { eggs: { refuses: true, link: { area: 'eggs', filter: 'category_id' } }, servers: { refuses: true } },
  bulk: { delete: true, switch: 'enabled' },
});
