import { sql } from 'kysely';
import { eggCategories } from '#shared/resources/egg-categories.ts';
import { serversWith, tableSql } from './map.ts';

export const eggCategoriesSql = tableSql(eggCategories, {
  derive: { eggs: () => sql`(select count(*) from eggs where eggs.category_id = egg_categories.id)` },
  dependants: {
    eggs: (id) => sql`(select count(*) from eggs where eggs.category_id = ${id})`,
    servers: (id) => serversWith('category_id', sql`${id}`),
  },
});
