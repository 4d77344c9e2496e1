import { sql, type RawBuilder } from 'kysely';
import type * as z from 'zod/mini';
import type { DB } from '#server/data/schema.ts';
import type { FieldCode } from '#shared/errors.ts';
import type { AnyResource } from '#shared/resources/types.ts';

/**
 * `name`: text that is sorted and compared without case. `bit`: 0 or 1. `ms`: UTC milliseconds, a text or null outside.
 * `json`: text.
 */
export type ColumnType = 'text' | 'name' | 'int' | 'bit' | 'ms' | 'json';
export interface StoredColumn<C extends string = string> {
  readonly type: ColumnType;
  readonly column: C;
}
/** Worked out by the database when it is read; `nowMs` for what depends on the time. */
export interface DerivedColumn {
  readonly type: ColumnType;
  readonly derive: (nowMs: number) => RawBuilder<unknown>;
}
export type ColumnMap = StoredColumn | DerivedColumn;

/** Values that two rows may not share: the fields together, the field that is told, and its code. */
export interface Unique {
  readonly fields: readonly string[];
  readonly field: string;
  readonly code: FieldCode;
}
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

interface Parts<T extends keyof DB & string, D extends AnyResource> {
  readonly columns: {
    readonly [K in keyof z.output<D['row']> & string]: StoredColumn<keyof DB[T] & string> | DerivedColumn;
  };
  readonly hidden?: Readonly<Record<string, StoredColumn<keyof DB[T] & string>>>;
  readonly unique?: readonly Unique[];
  readonly dependants: { readonly [K in keyof D['dependants'] & string]: (id: string) => RawBuilder<unknown> };
}

/** The map of an area's table. A row field without a column, or a column that does not exist, does not compile. */
export function mapTable<T extends keyof DB & string, D extends AnyResource>(
  _area: D,
  table: T,
  parts: Parts<T, D>,
): TableMap {
  return {
    table,
    columns: parts.columns,
    hidden: parts.hidden ?? {},
    unique: parts.unique ?? [],
    dependants: parts.dependants,
  };
}

/** Servers that still need a row of the catalogue: all but the deleted ones, as a failed one can be tried again. */
export const serversWith = (
  column: 'location_id' | 'egg_id' | 'category_id',
  id: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(select count(*) from servers where ${sql.ref(`servers.${column}`)} = ${id} and servers.state <> 'deleted')`;

/** The columns every area has. */
export const COMMON = {
  id: { column: 'id', type: 'text' },
  created_at: { column: 'created_ms', type: 'ms' },
  updated_at: { column: 'updated_ms', type: 'ms' },
} as const;
