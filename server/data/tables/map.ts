import { sql, type RawBuilder } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import { referencesTo } from '#shared/resources/references.ts';
import type { AnyResource, StoredType, Unique } from '#shared/resources/types.ts';

export interface StoredColumn {
  readonly type: StoredType;
  readonly column: string;
  readonly nullable?: boolean;
}
/** Worked out by the database when it is read; `nowMs` for what depends on the time. */
interface DerivedColumn {
  readonly type: StoredType;
  readonly derive: (nowMs: number) => RawBuilder<unknown>;
  readonly nullable?: boolean;
}
export type ColumnMap = StoredColumn | DerivedColumn;
/** How an area's rows lie in a table. */
export interface TableMap {
  readonly table: keyof DB & string;
  /** Row field → column. */
  readonly columns: Readonly<Record<string, ColumnMap>>;
  /** Columns that are written, but not part of a row. */
  readonly hidden: Readonly<Record<string, StoredColumn>>;
  readonly unique: readonly Unique[];
  /** Kind → how many depend on the row with an id. */
  readonly dependants: Readonly<Record<string, (id: string) => RawBuilder<unknown>>>;
}

type DerivedKeys<D extends AnyResource> = {
  [K in keyof D['storage'] & string]: D['storage'][K] extends { readonly derived: true }
    ? K extends keyof D['names']
      ? never
      : K
    : never;
}[keyof D['storage'] & string];
/** What an area's definition cannot say: SQL of derived columns, and how its dependants are counted. */
export interface TableSql<D extends AnyResource> {
  readonly derive: { readonly [K in DerivedKeys<D>]: DerivedColumn['derive'] };
  readonly dependants: { readonly [K in keyof D['dependants'] & string]: (id: string) => RawBuilder<unknown> };
}
/** Any area's. */
export interface AnySql {
  readonly derive: Readonly<Record<string, DerivedColumn['derive']>>;
  readonly dependants: TableMap['dependants'];
}
/** The areas that need some. */
export type NeedsSql<D extends AnyResource> = [DerivedKeys<D> | keyof D['dependants']] extends [never] ? false : true;

/** SQL of an area's table; a derived column or a dependant that is forgotten does not compile. */
export const tableSql = <D extends AnyResource>(_area: D, parts: TableSql<D>): TableSql<D> => parts;

/** Servers that still need a row of the catalogue: all but the deleted ones, as a failed one can be tried again. */
export const serversWith = (
  column: 'location_id' | 'egg_id' | 'category_id',
  id: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(select count(*) from servers where ${sql.ref(`servers.${column}`)} = ${id} and servers.state <> 'deleted')`;

/** The columns every area has. */
const COMMON = {
  id: { column: 'id', type: 'text' },
  created_at: { column: 'created_ms', type: 'ms' },
  updated_at: { column: 'updated_ms', type: 'ms' },
} as const satisfies Readonly<Record<string, StoredColumn>>;

/** How the rows of an area lie in its table: from its definition, and the SQL that it needs besides. */
export function mapTable(definition: AnyResource, own: AnySql = { derive: {}, dependants: {} }): TableMap {
  const { id, ...times } = COMMON;
  const columns = Object.entries(definition.storage).map(
    ([field, { type, column = field, derived, nullable = false }]): [string, ColumnMap] => [
      field,
      derived ? { type, nullable, derive: own.derive[field] ?? nameOf(definition, field) } : { type, nullable, column },
    ],
  );
  return {
    table: definition.table as keyof DB & string,
    columns: { id, ...Object.fromEntries(columns), ...times },
    hidden: Object.fromEntries(
      Object.entries(definition.hidden).map(([field, { type, column = field }]) => [field, { type, column }]),
    ),
    unique: definition.unique,
    dependants: { ...own.dependants, ...Object.fromEntries(referencesTo(definition.area).map(countOf)) },
  };
}

/** The name of the row that a reference leads to. */
function nameOf({ table, names, references }: AnyResource, field: string): DerivedColumn['derive'] {
  const reference = names[field] ?? '';
  const target = Object.values<AnyResource>(RESOURCES).find(({ area }) => area === references[reference]);
  if (!target) throw new Error(`${table}.${field} is derived, but nothing says how`);
  // Under a name of its own, because an area may refer to itself.
  return () =>
    sql`(select target.${sql.ref(target.title)} from ${sql.table(target.table)} as target where target.id = ${sql.ref(`${table}.${reference}`)})`;
}

function countOf({
  definition,
  field,
}: {
  definition: AnyResource;
  field: string;
}): [string, TableMap['dependants'][string]] {
  const column = definition.storage[field]?.column ?? field;
  return [
    definition.area,
    (id) => sql`(select count(*) from ${sql.table(definition.table)} where ${sql.ref(column)} = ${id})`,
  ];
}
