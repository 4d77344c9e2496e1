import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Param, Raw } from './raw.ts';
import type { DB } from './schema.ts';

/**
 * Statements about one row, or the few of one key, that every command or request makes: the query builder works its
 * text out anew each time, which costs more than the statement itself, so here the text is kept (decision 036). Names
 * of columns are those of the types, never of a request.
 */
const texts = new Map<string, string>();

/** The text that is kept under a key, made when it is first asked for. */
function kept(key: string, make: () => string): string {
  let sql = texts.get(key);
  if (sql === undefined) {
    sql = make();
    texts.set(key, sql);
  }
  return sql;
}

const equals = (columns: readonly string[], separator: string) =>
  columns.map((column) => `${column} = ?`).join(separator);

function insertText(table: string, row: object, rows = 1): string {
  const columns = Object.keys(row);
  return kept(`insert:${table}:${columns.join()}:${rows}`, () => {
    const values = `(${columns.map(() => '?').join(', ')})`;
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(values).join(', ')}`;
  });
}

function selectText(table: string, key: object): string {
  const columns = Object.keys(key);
  return kept(`select:${table}:${columns.join()}`, () => `SELECT * FROM ${table} WHERE ${equals(columns, ' AND ')}`);
}

/** Columns that together are unique, each with a value: NULL equals nothing. */
type Key<T extends keyof DB> = { readonly [K in keyof Selectable<DB[T]>]?: NonNullable<Selectable<DB[T]>[K]> };

/** The row of a key; undefined where there is none. */
export function findRow<T extends keyof DB>(raw: Raw, table: T, key: Key<T>): Promise<Selectable<DB[T]> | undefined> {
  return raw.one<Selectable<DB[T]>>(selectText(table, key), valuesOf(key));
}

/** The row of a key, locked until the transaction ends; undefined where there is none. */
export function lockRow<T extends keyof DB>(raw: Raw, table: T, key: Key<T>): Promise<Selectable<DB[T]> | undefined> {
  const text = selectText(table, key);
  // SQLite has no row locks, and needs none behind its single writer.
  return raw.one<Selectable<DB[T]>>(raw.dialect === 'postgres' ? `${text} FOR UPDATE` : text, valuesOf(key));
}

/** All rows with these values, in the order of a column. */
export function listRows<T extends keyof DB>(
  raw: Raw,
  table: T,
  key: Key<T>,
  order: keyof Selectable<DB[T]> & string,
): Promise<Selectable<DB[T]>[]> {
  return raw.all<Selectable<DB[T]>>(`${selectText(table, key)} ORDER BY ${order}`, valuesOf(key));
}

/** Adds one row. */
export async function insertRow<T extends keyof DB>(raw: Raw, table: T, row: Insertable<DB[T]>): Promise<void> {
  await raw.run(insertText(table, row), valuesOf(row));
}

/** Adds rows that have the same columns, with one statement. */
export async function insertRows<T extends keyof DB>(
  raw: Raw,
  table: T,
  rows: readonly Insertable<DB[T]>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await raw.run(insertText(table, first, rows.length), rows.flatMap(valuesOf));
}

/** Adds one row unless something of it is taken already. Out: whether it was added. */
export async function insertNew<T extends keyof DB>(raw: Raw, table: T, row: Insertable<DB[T]>): Promise<boolean> {
  return (await raw.run(`${insertText(table, row)} ON CONFLICT DO NOTHING`, valuesOf(row))).changes > 0;
}

/** Changes some columns of the row of a key. */
export async function updateRow<T extends keyof DB>(
  raw: Raw,
  table: T,
  change: Updateable<DB[T]>,
  key: Key<T>,
): Promise<void> {
  const [columns, keys] = [Object.keys(change), Object.keys(key)];
  const sql = kept(
    `update:${table}:${columns.join()}:${keys.join()}`,
    () => `UPDATE ${table} SET ${equals(columns, ', ')} WHERE ${equals(keys, ' AND ')}`,
  );
  await raw.run(sql, [...valuesOf(change), ...valuesOf(key)]);
}

/** The values of a row, in the order of its columns: the types of the tables hold nothing that is no parameter. */
const valuesOf = (row: object): Param[] => Object.values(row) as Param[];
