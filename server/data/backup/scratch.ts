import { Database } from 'bun:sqlite';
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type { Log } from '#server/modules/kernel.ts';
import { proveLedger } from '#server/modules/ledger/index.ts';
import { createBus } from '../bus.ts';
import { migrate } from '../migrate.ts';
import { MIGRATIONS } from '../migrations/list.ts';
import { openDatabase } from '../open.ts';
import { openSqlite } from '../sqlite.ts';
import { COUNTS, quoted, toCounts, type Counts, type PortableTable } from './portable.ts';
import { sqliteSchema } from './snapshot.ts';

/** Names that today's migrations go by or went by, each with today's. */
const TODAY: ReadonlyMap<string, string> = new Map(
  MIGRATIONS.flatMap(({ name, formerly = [] }) => [name, ...formerly].map((each) => [each, name] as const)),
);

/** The migrations of a backup that this program does not know: then a later version made it. */
export const unknownMigrations = (names: readonly string[]): string[] => names.filter((name) => !TODAY.has(name));

/**
 * A SQLite file that a backup is loaded into: its tables are those of the version that made the backup, so that every
 * migration since then runs over its rows as it ran over those of everybody else.
 */
export interface Scratch {
  readonly tables: readonly PortableTable[];
  /**
   * Loads rows. In: the table as the backup has it, and a JSON list of lists in the order of its columns. Out: how
   * many.
   */
  load(table: PortableTable, json: string): number;
  /**
   * Ends the loading: counters, indexes, triggers, references. Out: how many references lead nowhere. Afterwards
   * nothing can be loaded. Throws where rows that should differ are alike.
   */
  finish(sequences: Readonly<Record<string, number>>): number;
  close(): void;
}

/**
 * Bytes of rows after which what was written goes to the disk: as in a backup that is written, whoever flushes
 * something small beside it waits for one piece and not for gigabytes.
 */
const FLUSHED = 2 ** 24;

/** Makes the file. In: a path where there is none, the names of the backup's migrations, the time, and a log. */
export async function createScratch(
  path: string,
  migrations: readonly string[],
  { nowMs, log }: { nowMs: number; log: Log },
): Promise<Scratch> {
  const wanted = new Set(migrations.map((name) => TODAY.get(name)));
  // Nobody else has this file, and one that is left half-made is thrown away: nothing is flushed.
  const engine = openSqlite(path, () => undefined, log, { sync: () => Promise.resolve() });
  await migrate(
    engine,
    nowMs,
    MIGRATIONS.filter(({ name }) => wanted.has(name)),
  );
  await engine.close();
  const database = new Database(path, { readwrite: true, create: false });
  database.run('PRAGMA foreign_keys=OFF');
  // All of it is one transaction: a write-ahead log would be as large as the file, and copied into it afterwards. What is
  // to be undone is next to nothing. (SQLite as Bun brings it refuses to keep no journal at all.)
  database.run('PRAGMA journal_mode=MEMORY');
  database.run('PRAGMA synchronous=OFF');
  database.run('PRAGMA cache_size=-32768');
  const file = openSync(path, 'r');
  let unflushed = 0;
  const { tables } = sqliteSchema(database);
  // An index is sorted once it has all rows, in a fraction of the time that adding each to it would take.
  const madeAfterwards = database
    .query<{ type: 'trigger' | 'index'; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL",
    )
    .all();
  for (const { type, name } of madeAfterwards) database.run(`DROP ${type} ${quoted(name)}`);
  // What migrations put in is in the backup as well, as it has become since.
  for (const { name } of tables) database.run(`DELETE FROM ${quoted(name)}`);
  database.run('BEGIN');
  return {
    tables,
    load({ name, columns }, json) {
      const values = columns.map((_, at) => `value ->> ${at}`).join(', ');
      const { changes } = database
        .query(`INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) SELECT ${values} FROM jsonb_each(?)`)
        .run(json);
      unflushed += json.length;
      if (unflushed >= FLUSHED) {
        fdatasyncSync(file);
        unflushed = 0;
      }
      return changes;
    },
    finish(sequences) {
      for (const [name, last] of Object.entries(sequences)) {
        database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
        database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, last);
      }
      for (const { sql } of madeAfterwards) database.run(sql);
      database.run('COMMIT');
      return database.query('PRAGMA foreign_key_check').all().length;
    },
    close() {
      database.close();
      // Not before: a closed file takes the locks of its process with it.
      closeSync(file);
    },
  };
}

/**
 * Brings a loaded file up to date, proves its ledger, and ends its sessions where somebody is to go on with it. Out:
 * the faults of the ledger as texts, how many rows of users and servers it has, and what it holds. The file is left
 * without a log beside it.
 */
export async function finishScratch(
  path: string,
  { nowMs, log, endSessions }: { nowMs: number; log: Log; endSessions: boolean },
): Promise<{ faults: string[]; rows: Pick<Counts, 'users' | 'servers'>; counts: Counts }> {
  const database = openDatabase({ path, bus: createBus(log), log });
  try {
    await database.migrate(nowMs);
    // A backup has no index over words: it is made from the table that it has (decision 065).
    await database.write(({ raw }) => raw.run("INSERT INTO ticket_words (ticket_words) VALUES ('rebuild')"));
    // A session that was ended after the backup must not come back to life with it.
    if (endSessions) await database.write(({ raw }) => raw.run('DELETE FROM sessions'));
    const faults = await proveLedger(database.long, new AbortController().signal);
    return database.read(async ({ raw }) => ({
      faults: faults.map(({ text }) => text),
      rows: await countRows(raw),
      counts: toCounts(await raw.one<Counts>(COUNTS)),
    }));
  } finally {
    await database.close();
  }
}

async function countRows(raw: { one<T>(sql: string): Promise<T | undefined> }) {
  const row = await raw.one<{ users: number; servers: number }>(
    'SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM servers) AS servers',
  );
  return { users: row?.users ?? 0, servers: row?.servers ?? 0 };
}
