import { eggInput, eggRow } from '../schemas/egg.ts';
import { defineResource } from './types.ts';

/** The software servers can run. */
export const eggs = defineResource({
  area: 'eggs',
  path: '/api/admin/eggs',
  permission: 'admin.egg',
  operations: ['list', 'create', 'edit', 'delete'],
  row: eggRow,
  create: eggInput,
  update: eggInput,
  title: 'name',
  columns: {
    name: { format: 'custom', sort: 'asc' },
    category: { format: 'text', sort: 'asc' },
    min_memory: { format: 'memory', sort: 'asc' },
    servers: { format: 'number' },
    panels: { format: 'text', hideOnPhone: true },
    enabled: { format: 'switch' },
    vip_only: { format: 'flag' },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
  },
  groups: { basics: { columns: 2 }, software: {}, minimums: { columns: 3 }, variables: {} },
  fields: {
    name: { kind: 'text', group: 'basics' },
    category_id: { kind: 'select', group: 'basics', options: 'answer' },
    description: { kind: 'textarea', group: 'basics', wide: true, rows: 2 },
    // One picker for both; `hue` has no component of its own.
    shape: { kind: 'custom', group: 'basics', wide: true },
    hue: { kind: 'custom', group: 'basics' },
    enabled: { kind: 'switch', group: 'basics', wide: true },
    vip_only: { kind: 'switch', group: 'basics', wide: true },
    position: { kind: 'number', group: 'basics' },
    docker_image: { kind: 'code', group: 'software' },
    startup: { kind: 'code', group: 'software', rows: 2 },
    min_memory: { kind: 'number', group: 'minimums', unit: 'MB' },
    min_disk: { kind: 'number', group: 'minimums', unit: 'MB' },
    min_cpu: { kind: 'number', group: 'minimums', unit: '%' },
    variables: { kind: 'custom', group: 'variables' },
  },
  defaults: { shape: 'cube', hue: 5, enabled: true, position: 0, min_memory: 1024, min_disk: 1024, min_cpu: 50, variables: [] },
  filters: { category_id: { options: 'answer' }, enabled: { options: 'switch' }, vip_only: { options: 'switch' } },
  search: ['name', 'description', 'docker_image'],
  sort: 'category',
  dependants: { servers: { refuses: true }, panels: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});
