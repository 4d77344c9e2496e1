import { longText, name, onOff, position, text } from './columns.ts';
import { defineResource } from './define.ts';

/** Departments. */
export const departments = defineResource({
  area: 'departments',
  path: '/api/admin/departments',
  table: 'departments',
  permission: 'admin.departments',
  nav: { group: 'content', order: 1, icon: 'users' },
  columns: {
    name: name(80),
    description: longText(0, 1000, { list: {} }),
    hours: text(0, 255),
    position: position(),
    enabled: onOff(true),
  },
  title: 'name',
  search: ['name', 'description', 'hours'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { tickets: { refuses: true } },
  bulk: { delete: true, switch: 'enabled' },
});
