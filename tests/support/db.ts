import { Database as SqliteFile } from 'bun:sqlite';
import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBus, type ProcessBus } from '#server/data/bus.ts';
import { openDatabase, type Database } from '#server/data/open.ts';
import type { Param } from '#server/data/raw.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { TEST_START } from './clock.ts';
import { roomyFolder } from './folder.ts';
import { testLog } from './log.ts';
import { takeDatabase } from './postgres-databases.ts';
import { dropDatabase, isServerGiven, makeDatabase, makeTemplate } from './postgres.ts';

export type Engine = 'sqlite' | 'postgres';
export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** Takes `--engine NAME` out of the words of a command line; SQLite where it is not among them. */
export function readEngine(words: readonly string[]): { readonly engine: Engine; readonly words: readonly string[] } {
  const at = words.indexOf('--engine');
  if (at < 0) return { engine: 'sqlite', words };
  const engine = ENGINES.find((known) => known === words[at + 1]);
  // An unknown one stays, and is refused with the other words that are not known.
  return engine ? { engine, words: words.toSpliced(at, 2) } : { engine: 'sqlite', words };
}

export interface TestDb {
  readonly kind: Engine;
  readonly uow: UnitOfWork;
  readonly bus: ProcessBus;
  readonly log: ReturnType<typeof testLog>;
  readonly database: Database;
  /** Path (SQLite) or address (PostgreSQL): to open the same data a second time. */
  readonly where: { readonly path: string } | { readonly url: string };
  /** Runs SQL with `?` placeholders in a transaction of its own. Out: its rows. */
  sql<T = Record<string, unknown>>(text: string, params?: readonly Param[]): Promise<T[]>;
  close(): Promise<void>;
}

/** Nothing is brought to the disk: flushing has tests of its own, and costs minutes. */
export const NO_FLUSH = (): Promise<void> => Promise.resolve();
/**
 * Opens a fresh database with all tables: a SQLite file in a temporary folder, or a database of a private PostgreSQL
 * server. `spawnReader` answers long questions on SQLite.
 */
export async function openTestDb(kind: Engine = 'sqlite', spawnReader?: () => Worker): Promise<TestDb> {
  const place = kind === 'sqlite' ? await filledSqlitePlace() : await takeDatabase(await templateDatabase());
  const bus = createBus(testLog());
  const log = testLog();
  const database = openDatabase({
    ...place.where,
    bus,
    log,
    pool: 'pool' in place ? place.pool : undefined,
    spawnReader,
    sync: NO_FLUSH,
  });
  // A server that is kept between runs may have the template of an older version.
  if (kind === 'postgres' && isServerGiven) await database.migrate(TEST_START);
  return {
    kind,
    uow: database.uow,
    bus,
    log,
    database,
    get where() {
      if ('isShared' in place) place.isShared = true;
      return place.where;
    },
    sql: (text, params) => database.write(({ raw }) => raw.all(text, params)),
    async close() {
      await database.close();
      await place.remove();
    },
  };
}

/** Proves the ledger: called after every test that moves credits. */
export async function proveLedger(uow: UnitOfWork): Promise<void> {
  expect(await uow.read((tx) => tx.ledger.verify())).toEqual([]);
}

interface Place {
  readonly where: { readonly path: string } | { readonly url: string };
  remove(): void | Promise<void>;
}
type SqlitePlace = ReturnType<typeof sqlitePlace>;

/** A place for a SQLite file. */
export function sqlitePlace(): { readonly where: { readonly path: string }; remove(): void } {
  const folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-test-'));
  return { where: { path: join(folder, 'test.db') }, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

let filled: Promise<Uint8Array> | undefined;

/** A SQLite file with all tables: migrated once in a test file, then copied. */
export async function filledSqlitePlace(): Promise<SqlitePlace> {
  filled ??= (async () => {
    const { where, remove } = sqlitePlace();
    const database = openDatabase({ ...where, bus: createBus(testLog()), log: testLog() });
    await database.migrate(TEST_START);
    await database.close();
    // What lies in the log beside the file counts as well.
    const whole = new SqliteFile(where.path);
    const bytes = whole.serialize();
    whole.close();
    remove();
    return bytes;
  })();
  const bytes = await filled;
  const place = sqlitePlace();
  writeFileSync(place.where.path, bytes, { mode: 0o600 });
  return place;
}

/** An empty PostgreSQL database, or a copy of a template. */
export async function postgresPlace(from?: string): Promise<Place> {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  return { where: { url: await makeDatabase(name, from) }, remove: () => dropDatabase(name) };
}

const TEMPLATE = 'spawnpoint_template';
let made: Promise<void> | undefined;

/** Name of a database with all tables, made once a run, so that each test copies it instead of migrating. */
export async function templateDatabase(): Promise<string> {
  made ??= makeTemplate(TEMPLATE, async (url) => {
    const database = openDatabase({ url, bus: createBus(testLog()), log: testLog() });
    await database.migrate(TEST_START);
    await database.close();
  });
  await made;
  return TEMPLATE;
}

/** Starts a reading thread, as the main entry does. */
export const spawnReader = (): Worker =>
  new Worker(new URL('../../server/data/reader/reader.worker.ts', import.meta.url));
