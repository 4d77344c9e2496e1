import type { Insertable, Updateable } from 'kysely';
import type { Param, Raw } from './raw.ts';
import type { DB } from './schema.ts';

/** Texts of statements by table and columns. */
const inserts = new Map<string, string>();
const updates = new Map<string, string>();

function insertText(table: string, row: object): string {
  const columns = Object.keys(row);
  const key = `${table}:${columns.join()}`;
  let sql = inserts.get(key);
  if (sql === undefined) {
    sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    inserts.set(key, sql);
  }
  return sql;
}

/**
 * Adds one row. The query builder works its text out anew for every row, which costs more than the statement itself:
 * for what every command on credits writes, the text is kept. Column names are those of the types, never of a request.
 */
export async function insertRow<T extends keyof DB>(raw: Raw, table: T, row: Insertable<DB[T]>): Promise<void> {
  await raw.run(insertText(table, row), valuesOf(row));
}

/** Adds one row unless something of it is taken already. Out: whether it was added. */
export async function insertNew<T extends keyof DB>(raw: Raw, table: T, row: Insertable<DB[T]>): Promise<boolean> {
  return (await raw.run(`${insertText(table, row)} ON CONFLICT DO NOTHING`, valuesOf(row))).changes > 0;
}

/** Changes some columns of the row with this id, as `insertRow` adds one. */
export async function updateRow<T extends keyof DB>(
  raw: Raw,
  table: T,
  change: Updateable<DB[T]>,
  id: string,
): Promise<void> {
  const columns = Object.keys(change);
  const key = `${table}:${columns.join()}`;
  let sql = updates.get(key);
  if (sql === undefined) {
    sql = `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`;
    updates.set(key, sql);
  }
  await raw.run(sql, [...valuesOf(change), id]);
}

/** The values of a row, in the order of its columns: the types of the tables hold nothing that is no parameter. */
const valuesOf = (row: object): Param[] => Object.values(row) as Param[];
