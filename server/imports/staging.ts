import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import type { SourceSpec } from './model.ts';

/** A row of the source: texts as the source writes them, null where it has none. */
type SourceRow = Readonly<Record<string, string | null>>;
type Value = SQLQueryBindings;

/** Rows written in one go; between two a process that is killed leaves whole rows. */
const BATCH = 5_000;

/**
 * The working file of one run, a SQLite database beside the installation: the rows of the source that the product has
 * use for, and what is made of them. Bounded memory, whatever the size of the source.
 */
export class Staging {
  readonly db: Database;
  readonly #inserts = new Map<string, Statement>();
  #open = 0;

  constructor(path: string) {
    this.db = new Database(path, { create: true, strict: true, safeIntegers: false });
    // It is made again from the source where it is lost, so it need not survive a power cut.
    this.db.run('PRAGMA journal_mode = WAL');
    this.db.run('PRAGMA synchronous = OFF');
    this.db.run('PRAGMA cache_size = -16384');
    this.db.run('CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  }
  /** Makes the tables of a source, empty. */
  begin(spec: SourceSpec): void {
    for (const [table, columns] of Object.entries(spec.tables)) {
      this.db.run(`DROP TABLE IF EXISTS ${rawTable(table)}`);
      this.db.run(`CREATE TABLE ${rawTable(table)} (seq INTEGER PRIMARY KEY, ${columns.map(quote).join(', ')})`);
    }
  }
  /** Adds a row: what the source has of the columns that are kept. */
  add(table: string, columns: readonly string[], values: readonly Value[]): void {
    this.batch();
    const key = `${table}:${columns.join()}`;
    let insert = this.#inserts.get(key);
    if (!insert) {
      const names = columns.map(quote).join(', ');
      insert = this.db.prepare(
        `INSERT INTO ${rawTable(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      this.#inserts.set(key, insert);
    }
    insert.run(...values);
  }
  /** Counts a write: many share one transaction. */
  batch(): void {
    if (this.#open === 0) this.db.run('BEGIN');
    this.#open += 1;
    if (this.#open >= BATCH) this.commit();
  }
  commit(): void {
    if (this.#open > 0) this.db.run('COMMIT');
    this.#open = 0;
  }
  /** Rows of a question, as they are read. */
  rows<T = SourceRow>(sql: string, ...values: Value[]): IterableIterator<T> {
    return this.db.query<T, Value[]>(sql).iterate(...values);
  }
  one<T = SourceRow>(sql: string, ...values: Value[]): T | null {
    return this.db.query<T, Value[]>(sql).get(...values);
  }
  run(sql: string, ...values: Value[]): void {
    this.db.query(sql).run(...values);
  }
  fact(name: string): string | null {
    return this.one<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value ?? null;
  }
  setFact(name: string, value: string): void {
    this.run(
      'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      value,
    );
  }
  /** Gives back the room of what was removed: nothing of it is left in the file. */
  shrink(): void {
    this.commit();
    this.db.run('VACUUM');
    this.db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  }
  close(): void {
    this.commit();
    for (const insert of this.#inserts.values()) insert.finalize();
    this.db.close(false);
  }
}

/** The table of the working file that holds rows of a source's. */
const rawTable = (table: string): string => quote(`raw_${table}`);
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
