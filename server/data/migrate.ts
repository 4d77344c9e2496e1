import type { Engine } from './engine.ts';
import { MIGRATIONS } from './migrations/list.ts';
import type { Migration } from './migrations/migration.ts';
import type { Raw } from './raw.ts';

/** Key of PostgreSQL's advisory lock that keeps two processes from migrating at once. Any fixed number will do. */
const LOCK = 7_236_118;

/** The database was brought up to date by a program that this one is older than. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Brings the tables up to date. Each migration and the row that records it are one transaction, under a lock: it may be
 * run twice, by two processes, or be interrupted. In: engine, time. Out: names applied now. Throws MigrationError where
 * the database was migrated by a newer program.
 */
export async function migrate(
  engine: Engine,
  nowMs: number,
  list: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  await engine.write(async ({ raw }) => {
    await lock(raw);
    const text = raw.dialect === 'postgres' ? 'TEXT COLLATE "C"' : 'TEXT';
    await raw.run(
      `CREATE TABLE IF NOT EXISTS schema_migrations (name ${text} NOT NULL PRIMARY KEY, applied_ms BIGINT NOT NULL)`,
    );
  });
  await renameFormer(engine, list);
  const known = new Set(list.map(({ name }) => name));
  const before = await engine.read(({ raw }) => applied(raw));
  const stranger = [...before].find((name) => !known.has(name));
  if (stranger) {
    throw new MigrationError(
      `The database was brought up to date by another version of Spawnpoint: it holds ${stranger}, which this version does not know. Nothing was changed. ` +
        'Use the version that ran here last, or a newer one.',
    );
  }
  const now: string[] = [];
  // Those that are missing are looked for again under the lock: another process may have been quicker.
  for (const migration of list.filter(({ name }) => !before.has(name))) {
    const ran = await engine.write(async ({ raw }) => {
      await lock(raw);
      if ((await applied(raw)).has(migration.name)) return false;
      await migration.up({ raw, dialect: raw.dialect, nowMs });
      await raw.run('INSERT INTO schema_migrations (name, applied_ms) VALUES (?, ?)', [migration.name, nowMs]);
      return true;
    });
    if (ran) now.push(migration.name);
  }
  return now;
}

/** What tables have seen of the migrations that this program knows. */
export interface MigrationState {
  readonly applied: number;
  /** Names of those they have not seen yet. */
  readonly missing: readonly string[];
  /** Names of those that only a newer program knows. */
  readonly unknown: readonly string[];
}

/** Compares the tables with the migrations of this program. A database without tables has seen none. */
export async function migrationState(raw: Raw, list: readonly Migration[] = MIGRATIONS): Promise<MigrationState> {
  const table =
    raw.dialect === 'postgres'
      ? "SELECT 1 AS one FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_migrations'"
      : "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'";
  const seen = (await raw.one(table)) ? await applied(raw) : new Set<string>();
  const named = (migration: Migration) => [migration.name, ...(migration.formerly ?? [])];
  const known = new Set(list.flatMap(named));
  return {
    applied: list.filter((migration) => named(migration).some((name) => seen.has(name))).length,
    missing: list.filter((migration) => !named(migration).some((name) => seen.has(name))).map(({ name }) => name),
    unknown: [...seen].filter((name) => !known.has(name)),
  };
}

/** Migrations that a database holds by an earlier name get today's. */
async function renameFormer(engine: Engine, list: readonly Migration[]): Promise<void> {
  for (const { name, formerly = [] } of list) {
    for (const former of formerly)
      await engine.write(({ raw }) => raw.run('UPDATE schema_migrations SET name = ? WHERE name = ?', [name, former]));
  }
}

/** Waits for another process that migrates. On SQLite the write transaction itself is the lock. */
async function lock(raw: Raw): Promise<void> {
  if (raw.dialect === 'postgres') await raw.run('SELECT pg_advisory_xact_lock(?)', [LOCK]);
}

async function applied(raw: Raw): Promise<Set<string>> {
  const rows = await raw.all<{ name: string }>('SELECT name FROM schema_migrations');
  return new Set(rows.map(({ name }) => name));
}
