import { expect } from 'bun:test';
import type { FieldCode } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import type { AnyResource, Resource } from '#shared/resources/types.ts';
import { openWorld, type World } from './admin/world.ts';
import type { Param } from '#server/data/raw.ts';
import type { Engine } from '#tests/support/db.ts';

/** What the suite has to be told of an area. */
export interface Factory {
  /** A good input; `n` makes it another row. `world.note` may hold ids that `prepare` made. */
  input(n: number, world: World, made: ReadonlyMap<string, string>): Record<string, unknown>;
  /** Makes what rows need (a category for eggs): name → id. */
  prepare?(world: World): Promise<ReadonlyMap<string, string>>;
  /** A change that is good for every row. */
  change: Record<string, unknown>;
  /** Refused: a change of the input, the field that is told, its code. */
  bad: readonly (readonly [Record<string, unknown>, string, FieldCode])[];
  /** A value that no two rows may share, by field. */
  unique: { readonly field: string; readonly code: FieldCode };
  /** Makes something that depends on a row, by kind. */
  depend: Readonly<Record<string, (world: World, id: string, made: ReadonlyMap<string, string>) => Promise<unknown>>>;
  /** A text field of free text, to look for traps in. */
  text: string;
}

export type Json = Record<string, unknown>;
export const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
/** What is no whole number within any bounds (attacks T4). */
export const NO_NUMBERS: readonly unknown[] = [
  -1,
  -1000,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER + 2,
  '5',
  '1e9',
  '0x10',
  '',
  null,
  true,
  [5],
  { n: 5 },
  'NaN',
];
/** What is no line of text. */
export const NO_TEXTS: readonly unknown[] = [5, null, true, ['a'], { a: 1 }, 'a\u0000b', 'a\u0007b'];

/** Calls of one area, as JSON. */
export function caller(definition: AnyResource, world: World) {
  const all = (['list', 'create', 'edit', 'delete'] as const).map(
    (verb) => `${definition.permission}.${verb}` as Permission,
  );
  async function call(
    method: string,
    path: string,
    body?: unknown,
    options: { as?: readonly Permission[]; key?: string } = {},
  ): Promise<{ status: number; json: Json }> {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      ...(options.key ? { 'Idempotency-Key': options.key } : {}),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await world.http(options.as ?? all, definition.path + path, init);
    return { status: response.status, json: (await response.json()) as Json };
  }
  return {
    all,
    call,
    create: async (input: Json): Promise<string> => {
      const { status, json } = await call('POST', '', input);
      expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
      return String(json.id);
    },
    row: async (id: string): Promise<Json> => (await call('GET', `/${id}`)).json.row as Json,
    list: async (query = ''): Promise<{ rows: Json[]; total: number }> => {
      const { status, json } = await call('GET', query);
      expect(status).toBe(200);
      return { rows: json.rows as Json[], total: (json.paging as { total: number }).total };
    },
  };
}

/** One area on one engine, with a world that is opened before the tests and closed after them. */
export interface Setting {
  readonly definition: Resource<AreaName>;
  readonly factory: Factory;
  readonly engine: Engine;
  readonly world: World;
  readonly made: ReadonlyMap<string, string>;
  readonly api: ReturnType<typeof caller>;
  input(n: number): Json;
  audit(): Promise<AuditRow[]>;
}
interface AuditRow {
  readonly action: string;
  readonly actor_id: string;
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Opens a database with what the area needs. */
export async function openSetting(
  definition: Resource<AreaName>,
  factory: Factory,
  engine: Engine,
  options?: Parameters<typeof openWorld>[1],
): Promise<Setting> {
  const world = await openWorld(engine, options);
  await world.user('mirela');
  const made = (await factory.prepare?.(world)) ?? new Map<string, string>();
  return {
    definition,
    factory,
    engine,
    world,
    made,
    api: caller(definition, world),
    input: (n) => factory.input(n, world, made),
    audit: () =>
      world.db.sql<AuditRow>('SELECT * FROM audit WHERE action LIKE ? ORDER BY at_ms, id', [`${definition.area}.%`]),
  };
}

/** The table of an area. */
export const tableOf = (area: AreaName): string => RESOURCES[area].table;

/**
 * Adds a row of any area to its table, with what its columns ask for, and rows of the areas it refers to. Out: its id;
 * it is called `Row of <area> <id>`.
 */
export async function addRow(world: World, definition: AnyResource, given: Json = {}): Promise<string> {
  const id = world.ids.uuid();
  const values: Record<string, Param> = { id, created_ms: 0, updated_ms: 0 };
  for (const [field, { type, column = field, derived, nullable }] of Object.entries({
    ...definition.storage,
    ...definition.hidden,
  })) {
    if (derived) continue;
    const target = definition.references[field];
    const words = definition.fields[field]?.options;
    const usual = { text: Array.isArray(words) ? words[0] : id, name: id, int: 1, bit: 1, ms: 0, json: '[]' }[type];
    values[column] =
      (given[field] as Param | undefined) ??
      (field === definition.title
        ? `Row of ${definition.area} ${id}`
        : nullable
          ? null
          : target === undefined
            ? usual
            : await addRow(world, RESOURCES[target as AreaName]));
  }
  const columns = Object.keys(values);
  await world.db.sql(
    `INSERT INTO ${definition.table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING id`,
    Object.values(values),
  );
  return id;
}
