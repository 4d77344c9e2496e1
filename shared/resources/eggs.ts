import * as z from 'zod/mini';
import { configFiles } from '../config-files.ts';
import { eggContainer } from '../engine.ts';
import { SERVER_MINIMUM } from '../constants.ts';
import { isPictureId } from '../picture-url.ts';
import { BLOCK_SHAPES, checkVariables, dockerImage, eggVariables, eggVariableRow } from '../schemas/egg.ts';
import { id, wholeNumber } from '../schemas/primitives.ts';
import {
  column,
  computedNumber,
  flag,
  longText,
  name,
  number,
  onOff,
  position,
  readOnlyColumn,
  text,
} from './columns.ts';
import { defineResource } from './define.ts';

const DISK_MAX = 10_485_760;
const MEMORY_MAX = 1_048_576;
const CPU_MAX = 12_800;

/** The software servers can run. */
export const eggs = defineResource({
  area: 'eggs',
  path: '/api/admin/eggs',
  table: 'eggs',
  permission: 'admin.egg',
  nav: { group: 'hosting', order: 5, icon: 'egg' },
  columns: {
    category_id: column({
      store: { type: 'text' },
      row: z.string(),
      input: id,
      field: { kind: 'select', options: 'answer' },
      filter: 'answer',
    }),
    category: readOnlyColumn({
      store: { type: 'name', derived: true },
      row: z.string(),
      list: { format: 'text', sort: 'asc' },
    }),
    name: { ...name(60), list: { format: 'custom', sort: 'asc' } },
    description: longText(0, 255, { field: { wide: true } }),
    docker_image: column({ store: { type: 'text' }, row: z.string(), input: dockerImage, field: { kind: 'code' } }),
    startup: { ...text(1, 2000, { list: null }), field: { kind: 'code', rows: 2 } },
    // One component for both; `hue` has no component of its own.
    shape: column({
      store: { type: 'text' },
      row: z.enum(BLOCK_SHAPES),
      input: z.enum(BLOCK_SHAPES),
      field: { kind: 'custom', wide: true },
      start: 'cube',
    }),
    hue: column({
      store: { type: 'int' },
      row: z.int(),
      input: wholeNumber(0, 11),
      field: { kind: 'custom' },
      start: 5,
    }),
    /** Id of a picture of the installation, in the place of the block. */
    picture: column({
      store: { type: 'text' },
      row: z.string(),
      input: z.string().check(z.refine((text) => text === '' || isPictureId(text), 'INVALID')),
      field: { kind: 'custom', wide: true, optional: true },
      start: '',
    }),
    min_memory: {
      ...number(SERVER_MINIMUM.memory, MEMORY_MAX, { start: 1024, field: { unit: 'MB' } }),
      list: { format: 'memory', sort: 'asc' },
    },
    min_disk: number(SERVER_MINIMUM.disk, DISK_MAX, { start: 1024, field: { unit: 'MB' }, list: null }),
    min_cpu: number(SERVER_MINIMUM.cpu, CPU_MAX, { start: 50, field: { unit: '%' }, list: null }),
    enabled: onOff(true, { field: { wide: true } }),
    vip_only: flag({ field: { wide: true } }),
    position: position(),
    /** Servers that run it, the queued ones included. */
    servers: computedNumber('number'),
    /** Names of the panels that have it. */
    panels: readOnlyColumn({
      store: { type: 'text', derived: true, nullable: true },
      row: z.nullable(z.string()),
      list: { format: 'text', hideOnPhone: true },
    }),
    /** Of an imported file: what is written before each start of its servers on this machine. */
    config_files: readOnlyColumn({ store: { type: 'json' }, row: configFiles }),
    /** Of an imported file: what its servers are run with in Docker or Podman on this machine; null: nothing. */
    container: readOnlyColumn({ store: { type: 'json' }, row: z.nullable(eggContainer) }),
    variables: column({
      store: { type: 'json' },
      row: eggVariableRow,
      input: eggVariables,
      field: { kind: 'custom' },
      start: [],
    }),
  },
  rules: (input) => input.check(z.superRefine(checkVariables)),
  list: ['name', 'category', 'min_memory', 'servers', 'panels', 'enabled', 'vip_only', 'position'],
  groups: {
    basics: {
      columns: 2,
      fields: ['name', 'category_id', 'description', 'shape', 'hue', 'picture', 'enabled', 'vip_only', 'position'],
    },
    software: { fields: ['docker_image', 'startup'] },
    minimums: { columns: 3, fields: ['min_memory', 'min_disk', 'min_cpu'] },
    variables: { fields: ['variables'] },
  },
  title: 'name',
  search: ['name', 'description', 'docker_image'],
  sort: 'category',
  unique: [{ fields: ['category_id', 'name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { servers: { refuses: true }, panels: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});

/** The input of an egg. */
export type EggInput = z.output<typeof eggs.create>;
