import { SQL, type ReservedSQL } from 'bun';
import { Database } from 'bun:sqlite';
import type { Log } from '#server/modules/kernel.ts';
import { createBus } from '../bus.ts';
import { openDatabase } from '../open.ts';
import { quoted, type PortableTable } from './portable.ts';
import { postgresSchema, sqliteSchema } from './snapshot.ts';

/** Rows sent to PostgreSQL at once, and the most characters of them. */
const BATCH_ROWS = 2000;
const BATCH_CHARS = 4 << 20;

interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Replaces everything in a PostgreSQL database by the rows of a SQLite file of the same version: in one transaction, so
 * that a kill at any moment leaves either what was or what is to be. Everybody else waits for it. In: address, path,
 * time, log. Throws where the two have not the same tables.
 */
export async function replacePostgres(url: string, path: string, { nowMs, log }: { nowMs: number; log: Log }) {
  const own = openDatabase({ url, bus: createBus(log), log });
  try {
    await own.migrate(nowMs);
  } finally {
    await own.close();
  }
  const source = new Database(path, { readonly: true });
  const sql = new SQL(url, { max: 1, bigint: true, connection: { application_name: 'spawnpoint restore' } });
  try {
    const connection = await sql.reserve();
    await connection.unsafe('BEGIN');
    try {
      await replaceRows(connection, source);
      await connection.unsafe('COMMIT');
    } catch (error) {
      await connection.unsafe('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      await connection.release();
    }
  } finally {
    await sql.close();
    source.close();
  }
}

async function replaceRows(connection: ReservedSQL, source: Database): Promise<void> {
  const { tables, sequences } = sqliteSchema(source);
  assertSameTables(tables, (await postgresSchema(connection)).tables);
  const list = tables.map(({ name }) => quoted(name)).join(', ');
  await connection.unsafe(`LOCK TABLE ${list} IN ACCESS EXCLUSIVE MODE`);
  const references = await findReferences(connection);
  for (const { table, name } of references)
    await connection.unsafe(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
  // An index is sorted once it has all rows, in a fraction of the time that adding each to it would take.
  const indexes = await findIndexes(connection);
  for (const { name } of indexes) await connection.unsafe(`DROP INDEX ${quoted(name)}`);
  await connection.unsafe(`TRUNCATE ${list}`);
  for (const table of tables) {
    await connection.unsafe(`ALTER TABLE ${quoted(table.name)} DISABLE TRIGGER USER`);
    await copyRows(connection, source, table);
  }
  for (const { definition } of indexes) await connection.unsafe(definition);
  for (const { table, name, definition } of references)
    await connection.unsafe(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  for (const { name } of tables) await connection.unsafe(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
  for (const [name, last] of Object.entries(sequences))
    if (last > 0)
      await connection.unsafe("SELECT setval(pg_get_serial_sequence($1, 'id'), $2::bigint)", [quoted(name), last]);
}

/** Foreign keys of the current schema, with what makes each of them again. */
async function findReferences(connection: ReservedSQL): Promise<Reference[]> {
  return Array.from(
    await connection.unsafe(
      `SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
       FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
       WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
    ),
  );
}

/** Indexes of the current schema that no key of a table stands on, with what makes each of them again. */
async function findIndexes(connection: ReservedSQL): Promise<Omit<Reference, 'table'>[]> {
  return Array.from(
    await connection.unsafe(
      `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = current_schema()::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY 1`,
    ),
  );
}

async function copyRows(connection: ReservedSQL, source: Database, { name, columns }: PortableTable): Promise<void> {
  const list = columns.map(quoted).join(', ');
  const pairs = columns.map((column) => `'${column}', ${quoted(column)}`).join(', ');
  const question = source.prepare<{ row: string }, []>(`SELECT json_object(${pairs}) AS row FROM ${quoted(name)}`);
  let rows: string[] = [];
  let chars = 0;
  async function send(): Promise<void> {
    if (rows.length === 0) return;
    await connection.unsafe(
      `INSERT INTO ${quoted(name)} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${quoted(name)}, $1::text::json)`,
      [`[${rows.join(',')}]`],
    );
    rows = [];
    chars = 0;
  }
  for (const { row } of question.iterate()) {
    rows.push(row);
    chars += row.length;
    if (rows.length >= BATCH_ROWS || chars >= BATCH_CHARS) await send();
  }
  await send();
  question.finalize();
}

function assertSameTables(source: readonly PortableTable[], target: readonly PortableTable[]): void {
  const describe = (tables: readonly PortableTable[]) =>
    tables.map(({ name, columns }) => `${name}(${columns.toSorted().join(',')})`).toSorted();
  const [here, there] = [describe(source), describe(target)];
  const odd = [...here.filter((each) => !there.includes(each)), ...there.filter((each) => !here.includes(each))];
  if (odd.length > 0) throw new Error(`the database has other tables than the backup: ${odd.join(' ').slice(0, 400)}`);
}
