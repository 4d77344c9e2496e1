import type { SQL } from 'bun';
import { createPostgresPool, type PostgresPool } from '#server/data/postgres.ts';
import { dropDatabase, isServerGiven, makeDatabase } from './postgres.ts';

/** Connections of a test: enough for what races, and each costs the server a process. */
const POOL_MAX = 4;
/** How long a test that ended may still have something of a database, in ms. */
const LEFT_MS = 10_000;

/**
 * A database of one test. A new one, its connections and what each of them has to learn of its tables take the server
 * ten times as long as many tests, so that they are kept: the next test finds the rows of the template and no others.
 */
export interface TakenDatabase {
  readonly where: { readonly url: string };
  /** Closes with the database: what is begun afterwards is refused. */
  readonly pool: PostgresPool;
  /** Somebody else had connections of its own, or changed more than rows: it is not kept. */
  isShared: boolean;
  /** Keeps it for the next test, or drops it. */
  remove(): Promise<void>;
}
interface Kept {
  readonly name: string;
  readonly url: string;
  readonly pool: SQL;
  readonly reset: Reset;
}
type Reset = Awaited<ReturnType<typeof readReset>>;

const kept: Kept[] = [];

/** Takes a database with the tables and rows of a template. */
export async function takeDatabase(template: string): Promise<TakenDatabase> {
  const database = kept.pop() ?? (await createDatabase(template));
  const { pool, isIdle } = countedPool(database.pool);
  const test: TakenDatabase = {
    where: { url: database.url },
    pool,
    isShared: isServerGiven,
    async remove() {
      const isKept = !test.isShared && isIdle() && (await resetRows(database));
      if (isKept) return void kept.push(database);
      await database.pool.close({ timeout: 1 }).catch(() => undefined);
      await dropDatabase(database.name);
    },
  };
  return test;
}

async function createDatabase(template: string): Promise<Kept> {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  const url = await makeDatabase(name, template);
  const pool = createPostgresPool(url, POOL_MAX);
  return { name, url, pool, reset: await readReset(pool) };
}

/** A pool whose closing waits until nobody has a connection of it, and leaves the connections open. */
function countedPool(pool: SQL): { readonly pool: PostgresPool; readonly isIdle: () => boolean } {
  let taken = 0;
  const isIdle = () => taken === 0;
  return {
    isIdle,
    pool: {
      async reserve() {
        taken += 1;
        const connection = await pool.reserve().catch((error: unknown) => {
          taken -= 1;
          throw error;
        });
        return {
          unsafe: connection.unsafe.bind(connection),
          release() {
            taken -= 1;
            return connection.release();
          },
        };
      },
      unsafe: pool.unsafe.bind(pool),
      async close() {
        const untilMs = performance.now() + LEFT_MS;
        while (!isIdle() && performance.now() < untilMs) await Bun.sleep(5);
      },
    },
  };
}

const quoted = (name: string): string => `"${name}"`;

/** How many rows something has, and which transaction was the last to write one: it changes with each that is written. */
const MARK = "concat(count(*), ' ', max(xmin::text::bigint))";
/** Catalogs of tables, columns, triggers, functions and rules, and what is numbered in each. */
const CATALOGS = {
  pg_class: 'oid',
  pg_attribute: 'attrelid',
  pg_trigger: 'oid',
  pg_proc: 'oid',
  pg_constraint: 'oid',
  pg_rewrite: 'oid',
};
/** What the definitions are. Lower numbers are the server's own, which nobody changes. */
const DEFINITIONS = Object.entries(CATALOGS)
  .map(([catalog, number]) => `(SELECT ${MARK} FROM ${catalog} WHERE ${number} >= 16384)`)
  .join(", ', ', ");

/**
 * Tables that were written to since they were made or emptied: a fifth of what it costs to look into all of them for
 * rows.
 */
const WRITTEN = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`;

/** Reads what brings a fresh database back to what it is. */
async function readReset(pool: SQL) {
  const all = async <T>(text: string): Promise<T[]> => Array.from((await pool.unsafe(text)) as T[]);
  const tables = await all<{ name: string; columns: string }>(
    `SELECT relname AS name, string_agg(quote_ident(attname), ', ') AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname`,
  );
  const seeded = await all<{ name: string }>(WRITTEN);
  const seeds: [table: string, insert: string, rows: string][] = [];
  for (const { name } of seeded) {
    const columns = tables.find((table) => table.name === name)?.columns ?? '';
    const [row] = await all<{ rows: string | null }>(`SELECT json_agg(row)::text AS rows FROM ${quoted(name)} AS row`);
    const insert = `INSERT INTO ${quoted(name)} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::${quoted(name)}, $1::text::json)`;
    if (row?.rows) seeds.push([name, insert, row.rows]);
  }
  const names = seeds.map(([name]) => name);
  return { seeds, marks: await marksOf(pool, names), definitions: await definitionsOf(pool) };
}
/** A mark of each table's rows. */
async function marksOf(pool: Pick<SQL, 'unsafe'>, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const marks = names.map((name) => `SELECT '${name}' AS name, ${MARK} AS mark FROM ${quoted(name)}`);
  const rows = (await pool.unsafe(marks.join(' UNION ALL '))) as { name: string; mark: string }[];
  return new Map(rows.map(({ name, mark }) => [name, mark]));
}
async function definitionsOf(pool: Pick<SQL, 'unsafe'>): Promise<string> {
  const [row] = (await pool.unsafe(`SELECT concat(${DEFINITIONS}) AS text`)) as { text: string }[];
  return row?.text ?? '';
}

async function emptyTables(pool: SQL, tables: readonly string[]): Promise<void> {
  await pool.begin(async (sql) => {
    // Neither triggers nor references: what they keep comes back as a whole.
    await sql.unsafe('SET LOCAL session_replication_role = replica');
    await sql.unsafe(tables.map((table) => `DELETE FROM ${table}`).join('; '));
  });
  // Room of rows that are gone would be used again, and rows that nobody orders would come in another order.
  await pool.unsafe(`VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) ${tables.join(', ')}`);
}

/** Brings the rows back to those of the template. Out: false where that cannot be. */
async function resetRows({ pool, reset }: Kept): Promise<boolean> {
  try {
    if ((await definitionsOf(pool)) !== reset.definitions) return false;
    const written = (await pool.unsafe(WRITTEN)) as { name: string }[];
    const names = reset.seeds.map(([name]) => name);
    const marks = await marksOf(pool, names);
    const untouched = new Set(names.filter((name) => marks.get(name) === reset.marks.get(name)));
    const seeds = reset.seeds.filter(([name]) => !untouched.has(name));
    const tables = [...new Set([...written.map(({ name }) => name), ...names])]
      .filter((name) => !untouched.has(name))
      .map(quoted);
    if (tables.length > 0) await emptyTables(pool, tables);
    await pool.begin(async (sql) => {
      await sql.unsafe('SET LOCAL session_replication_role = replica');
      for (const [, insert, rows] of seeds) await sql.unsafe(insert, [rows]);
      await sql.unsafe(
        "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences WHERE last_value IS NOT NULL",
      );
    });
    if (seeds.length > 0) reset.marks = await marksOf(pool, names);
    return true;
  } catch {
    return false;
  }
}
