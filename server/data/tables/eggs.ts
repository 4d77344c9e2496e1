import { sql } from 'kysely';
import { eggs } from '#shared/resources/eggs.ts';
import { COMMON, mapTable, serversWith } from './map.ts';

export const eggsTable = mapTable(eggs, 'eggs', {
  columns: {
    ...COMMON,
    category_id: { column: 'category_id', type: 'text' },
    category: {
      type: 'name',
      derive: () => sql`(select egg_categories.name from egg_categories where egg_categories.id = eggs.category_id)`,
    },
    name: { column: 'name', type: 'name' },
    description: { column: 'description', type: 'text' },
    docker_image: { column: 'docker_image', type: 'text' },
    startup: { column: 'startup', type: 'text' },
    shape: { column: 'shape', type: 'text' },
    hue: { column: 'hue', type: 'int' },
    min_memory: { column: 'min_memory', type: 'int' },
    min_disk: { column: 'min_disk', type: 'int' },
    min_cpu: { column: 'min_cpu', type: 'int' },
    enabled: { column: 'enabled', type: 'bit' },
    vip_only: { column: 'vip_only', type: 'bit' },
    position: { column: 'position', type: 'int' },
    servers: { type: 'int', derive: () => serversWith('egg_id', sql`eggs.id`) },
    panels: {
      type: 'text',
      derive: () =>
        sql`(select string_agg(panels.name, ', ') from egg_bindings join panels on panels.id = egg_bindings.panel_id where egg_bindings.egg_id = eggs.id)`,
    },
    variables: { column: 'variables', type: 'json' },
  },
  unique: [{ fields: ['category_id', 'name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: {
    servers: (id) => serversWith('egg_id', sql`${id}`),
    panels: (id) => sql`(select count(*) from egg_bindings where egg_bindings.egg_id = ${id})`,
  },
});
