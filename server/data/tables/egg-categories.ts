import { sql } from 'kysely';
import { eggCategories } from '#shared/resources/egg-categories.ts';
import { COMMON, mapTable, serversWith } from './map.ts';

export const eggCategoriesTable = mapTable(eggCategories, 'egg_categories', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    description: { column: 'description', type: 'text' },
    enabled: { column: 'enabled', type: 'bit' },
    position: { column: 'position', type: 'int' },
    eggs: { type: 'int', derive: () => sql`(select count(*) from eggs where eggs.category_id = egg_categories.id)` },
  },
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: {
    eggs: (id) => sql`(select count(*) from eggs where eggs.category_id = ${id})`,
    servers: (id) => serversWith('category_id', sql`${id}`),
  },
});
