import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import type { Dialect } from '#server/data/dialect.ts';

/** A database that is filled by statements of millions of rows, and the few words in which the engines differ. */
export interface WorldDatabase {
  readonly dialect: Dialect;
  run(sql: string): Promise<void>;
  all<T>(sql: string): Promise<T[]>;
  /** What stands after FROM for rows whose `i` runs from 0 to `count` - 1. */
  series(count: number): string;
  /** A number as text with leading zeros. */
  padded(number: string, width: number): string;
  /** An identifier of version 7: its time, then the number of the row. Both are expressions. */
  timeId(atMs: string, number: string): string;
  /** The day of a moment, as `YYYY-MM-DD` in UTC. */
  day(atMs: string): string;
  /** Takes all indexes and triggers away, which are made faster at the end. Out: makes them again. */
  withoutIndexes(): Promise<() => Promise<void>>;
  /** Bytes that all data take. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** What the sorting of millions of rows may take. */
const MEMORY_MB = 256;

/** Opens a SQLite file by its path, or PostgreSQL by its address (a superuser's). The program must not run meanwhile. */
export async function openWorldDatabase(where: string): Promise<WorldDatabase> {
  return where.startsWith('postgres:') ? openPostgres(where) : openSqlite(where);
}

function openSqlite(path: string): WorldDatabase {
  const db = new Database(path);
  // Whoever pulls the plug makes the world anew.
  for (const pragma of [
    'journal_mode=MEMORY',
    'synchronous=OFF',
    'foreign_keys=OFF',
    `cache_size=-${MEMORY_MB * 1024}`,
    'threads=2',
  ])
    db.run(`PRAGMA ${pragma}`);
  const all = <T>(sql: string) => db.query(sql).all() as T[];
  return {
    dialect: 'sqlite',
    run: async (sql) => void db.run(sql),
    all: async (sql) => all(sql),
    series: (count) =>
      `(WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count}) SELECT i FROM n) AS n`,
    padded: (number, width) => `printf('%0${width}d', ${number})`,
    timeId: (atMs, number) => `printf('%08x-%04x-7000-8000-%012x', (${atMs}) >> 16, (${atMs}) & 65535, ${number})`,
    day: (atMs) => `strftime('%Y-%m-%d', (${atMs}) / 1000, 'unixepoch')`,
    async withoutIndexes() {
      const made = all<{ type: string; name: string; sql: string }>(
        "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid",
      );
      for (const { type, name } of made) db.run(`DROP ${type} "${name}"`);
      return async () => {
        for (const { sql } of made) db.run(sql);
      };
    },
    size: async () =>
      all<{ bytes: number }>('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')[0]
        ?.bytes ?? 0,
    async close() {
      db.run('PRAGMA journal_mode=WAL');
      db.close();
    },
  };
}

async function openPostgres(url: string): Promise<WorldDatabase> {
  const sql = new SQL(url, { max: 1 });
  const run = async (text: string) => void (await sql.unsafe(text));
  const all = async <T>(text: string) => Array.from(await sql.unsafe(text)) as T[];
  // The replica's role checks no foreign keys and fires no triggers.
  await run("SET session_replication_role = 'replica'");
  await run('SET synchronous_commit = off');
  await run(`SET maintenance_work_mem = '${MEMORY_MB}MB'`);
  await run(`SET work_mem = '${MEMORY_MB}MB'`);
  const hex = (number: string, width: number) => `lpad(to_hex(${number}), ${width}, '0')`;
  return {
    dialect: 'postgres',
    run,
    all,
    series: (count) => `generate_series(0::bigint, ${count - 1}::bigint) AS n (i)`,
    padded: (number, width) => `lpad((${number})::text, ${width}, '0')`,
    timeId: (atMs, number) =>
      `${hex(`(${atMs}) >> 16`, 8)} || '-' || ${hex(`(${atMs}) & 65535`, 4)} || '-7000-8000-' || ${hex(`(${number})::bigint`, 12)}`,
    day: (atMs) => `to_char(to_timestamp((${atMs}) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    async withoutIndexes() {
      const made = await all<{ indexname: string; indexdef: string }>(
        `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
           AND indexname NOT IN (SELECT conname FROM pg_constraint) ORDER BY indexname`,
      );
      for (const { indexname } of made) await run(`DROP INDEX "${indexname}"`);
      return async () => {
        for (const { indexdef } of made) await run(indexdef);
      };
    },
    async size() {
      const [row] = await all<{ bytes: bigint }>('SELECT pg_database_size(current_database()) AS bytes');
      return Number(row?.bytes ?? 0);
    },
    close: () => sql.close(),
  };
}
