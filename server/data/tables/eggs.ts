import { sql } from 'kysely';
import { eggs } from '#shared/resources/eggs.ts';
import { serversWith, tableSql } from './map.ts';

export const eggsSql = tableSql(eggs, {
  derive: {
    category: () => sql`(select egg_categories.name from egg_categories where egg_categories.id = eggs.category_id)`,
    servers: () => serversWith('egg_id', sql`eggs.id`),
    panels: () =>
      sql`(select string_agg(panels.name, ', ') from egg_bindings join panels on panels.id = egg_bindings.panel_id where egg_bindings.egg_id = eggs.id)`,
  },
  dependants: {
    servers: (id) => serversWith('egg_id', sql`${id}`),
    panels: (id) => sql`(select count(*) from egg_bindings where egg_bindings.egg_id = ${id})`,
  },
});
