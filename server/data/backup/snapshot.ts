import { SQL, type ReservedSQL } from 'bun';
import { Database } from 'bun:sqlite';
import {
  COUNTS,
  PORTABLE_TYPES,
  quoted,
  toCounts,
  type Counts,
  type PortableSchema,
  type PortableTable,
  type Snapshot,
} from './portable.ts';

/** Rows that are given at once: waiting for each would cost more than reading it. */
const FETCH = 2000;

/**
 * Opens one moment of a database. SQLite: a reader's view of the log, so that nothing is copied and nobody waits; its
 * file may not be shrunk meanwhile. PostgreSQL: a transaction of its own. In: where the database lies.
 */
export function openSnapshot(place: { readonly url: string } | { readonly path: string }): Promise<Snapshot> {
  return 'url' in place ? postgresSnapshot(place.url) : Promise.resolve(sqliteSnapshot(place.path));
}

function sqliteSnapshot(path: string): Snapshot {
  const database = new Database(path, { readwrite: true, create: false });
  try {
    database.run('PRAGMA busy_timeout=5000');
    database.run('PRAGMA query_only=ON');
    database.run('BEGIN');
    return {
      ...sqliteSchema(database),
      async *rows({ name, columns }) {
        const list = columns.map(quoted).join(', ');
        const question = database.prepare<{ row: string }, []>(
          `SELECT json_array(${list}) AS row FROM ${quoted(name)}`,
        );
        let rows: string[] = [];
        for (const { row } of question.iterate()) {
          rows.push(row);
          if (rows.length < FETCH) continue;
          yield rows;
          rows = [];
        }
        if (rows.length > 0) yield rows;
        question.finalize();
      },
      counts: () => Promise.resolve(toCounts(database.query<Counts, []>(COUNTS).get())),
      close: () => Promise.resolve(database.close()),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The tables of an open SQLite file. Throws where one holds what a backup cannot. */
export function sqliteSchema(database: Database): PortableSchema {
  const names = database
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .all()
    .filter(({ name }) => name !== 'schema_migrations');
  const columnsOf = database.query<{ name: string; type: string }, [string]>(
    'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid',
  );
  const counted = database.query<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence').all();
  return {
    dialect: 'sqlite',
    migrations: database
      .query<{ name: string }, []>('SELECT name FROM schema_migrations ORDER BY name')
      .all()
      .map(({ name }) => name),
    tables: names.map(({ name }) => toTable(name, columnsOf.all(name))),
    sequences: Object.fromEntries(counted.map(({ name, seq }) => [name, seq])),
  };
}

function toTable(name: string, columns: readonly { name: string; type: string }[]): PortableTable {
  const strange = columns.find(({ type }) => !PORTABLE_TYPES.has(type.toUpperCase()));
  if (strange) throw new Error(`a backup cannot hold ${name}.${strange.name} of type ${strange.type}`);
  return { name, columns: columns.map((column) => column.name) };
}

async function postgresSnapshot(url: string): Promise<Snapshot> {
  const sql = new SQL(url, { max: 1, bigint: true, connection: { application_name: 'spawnpoint backup' } });
  try {
    const connection = await sql.reserve();
    await connection.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const schema = await postgresSchema(connection);
    return {
      ...schema,
      rows: (table) => postgresRows(connection, table),
      async counts() {
        const [row]: Record<keyof Counts, bigint>[] = await connection.unsafe(COUNTS);
        return toCounts(row);
      },
      async close() {
        await connection.unsafe('ROLLBACK').catch(() => undefined);
        await connection.release();
        await sql.close();
      },
    };
  } catch (error) {
    await sql.close();
    throw error;
  }
}

async function* postgresRows(connection: ReservedSQL, { name, columns }: PortableTable): AsyncGenerator<string[]> {
  const list = columns.map(quoted).join(', ');
  await connection.unsafe(
    `DECLARE backup NO SCROLL CURSOR FOR SELECT json_build_array(${list})::text AS row FROM ${quoted(name)}`,
  );
  for (;;) {
    const rows: { row: string }[] = await connection.unsafe(`FETCH ${FETCH} FROM backup`);
    yield rows.map(({ row }) => row);
    if (rows.length < FETCH) break;
  }
  await connection.unsafe('CLOSE backup');
}

/** The tables of the current schema of PostgreSQL. Throws where one holds what a backup cannot. */
export async function postgresSchema(connection: Pick<ReservedSQL, 'unsafe'>): Promise<PortableSchema> {
  const columns: { table_name: string; name: string; type: string }[] = await connection.unsafe(
    `SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND c.relname <> 'schema_migrations'
     ORDER BY c.relname COLLATE "C", a.attnum`,
  );
  const migrations: { name: string }[] = await connection.unsafe('SELECT name FROM schema_migrations ORDER BY name');
  const counted: { table_name: string; last: bigint }[] = await connection.unsafe(
    `SELECT t.relname AS table_name, s.last_value AS last
     FROM pg_sequences s JOIN pg_class q ON q.relname = s.sequencename AND q.relnamespace = s.schemaname::regnamespace
     JOIN pg_depend d ON d.objid = q.oid AND d.deptype = 'i' JOIN pg_class t ON t.oid = d.refobjid
     WHERE s.schemaname = current_schema() AND s.last_value IS NOT NULL`,
  );
  const byTable = Map.groupBy(columns, (column) => column.table_name);
  return {
    dialect: 'postgres',
    migrations: migrations.map(({ name }) => name),
    tables: [...byTable].map(([name, own]) => toTable(name, own)),
    sequences: Object.fromEntries(counted.map(({ table_name: name, last }) => [name, Number(last)])),
  };
}
