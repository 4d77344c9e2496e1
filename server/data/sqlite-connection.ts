import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { kyselyOver } from './kysely.ts';
import { withBlindPlaceholders } from './placeholders.ts';
import { assertParam, NEVER_STOPPED, type Raw } from './raw.ts';
import { currentScope, type Scope } from './scope.ts';
import { publishSent } from './sent.ts';
import { createTx } from './tx.ts';
import type { Session } from './engine.ts';

/** Prepared statements kept a connection; the oldest go first. */
const STATEMENTS_MAX = 500;
/** How long a lock of another process (the command line beside a running server) is waited for. */
export const BUSY_MS = 5000;
/** What the write-ahead log is cut back to after a checkpoint. */
const LOG_BYTES = 64 * 1024 * 1024;
/** Memory for pages of the writer. */
const CACHE_KIB = 32 * 1024;
/** Pages of 4 KiB in the log after which a commit copies them back itself: half of what the log is cut back to. */
const CHECKPOINT_PAGES = LOG_BYTES / 2 / 4096;
/** Bytes of the log from which on whoever writes waits for the copy of a thread, where one does it (checkpoints.ts). */
export const LATE_LOG_BYTES = 1.5 * LOG_BYTES;

interface CachedStatement {
  readonly statement: Statement<unknown, SQLQueryBindings[]>;
  /** It gives rows; a statement that changes data does so with RETURNING. */
  readonly givesRows: boolean;
}
/** Holds the transaction that may use the connection now. */
interface Gate {
  scope: Scope | null;
}

/** One SQLite connection with the session that works over it. */
export interface Connection {
  readonly database: Database;
  readonly session: Session;
  readonly gate: Gate;
  /** Opens and closes a view (readers). */
  readonly begin: Statement;
  readonly end: Statement;
  /** Has commits copy a long log back themselves, or not. */
  copyByCommits(isOn: boolean): void;
  /** Lets go of every kept statement: one that was left in the middle would keep transactions from ending. */
  reset(): void;
  /** Prepares a statement that is kept as long as the connection. */
  hold<R = unknown>(sql: string): Statement<R, []>;
  /** Closes it at once: a statement that is still kept would keep the file open as well. */
  close(): void;
}

/**
 * Opens the writer (creates the file) or a reader (which SQLite itself keeps from writing). Throws where the file
 * cannot be opened or cannot have a write-ahead log.
 */
export function openConnection(path: string, role: 'writer' | 'reader'): Connection {
  const database = new Database(path, role === 'writer' ? { create: true, readwrite: true } : { readwrite: true });
  database.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  if (role === 'writer') {
    const mode = database.query<{ journal_mode: string }, []>('PRAGMA journal_mode=WAL').get()?.journal_mode;
    if (mode !== 'wal')
      throw new Error(`the file system of ${path} cannot hold a write-ahead log: put DATA_DIR on a local disk`);
    // A commit writes the log, and the writer flushes it by itself, beside what comes next (sqlite-flush.ts).
    database.run('PRAGMA synchronous=NORMAL');
    database.run('PRAGMA foreign_keys=ON');
    // What a command would have to undo is kept in memory: a command of the length of a purchase would otherwise write
    // it to a file.
    database.run('PRAGMA temp_store=MEMORY');
    database.run(`PRAGMA journal_size_limit=${LOG_BYTES}`);
    // Commands touch many indexes: with the usual 2 MB their pages would be read again and again, and the usual 1,000
    // pages of log would be copied back, with two flushes, after every few commits.
    database.run(`PRAGMA cache_size=-${CACHE_KIB}`);
    database.run(`PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}`);
    // From here on the writer waits for others without standing still (sqlite-writer.ts).
    database.run('PRAGMA busy_timeout=0');
  } else {
    database.run('PRAGMA query_only=ON');
  }
  const gate: Gate = { scope: null };
  const statements = statementsOf(database, gate);
  const raw = rawOver(statements);
  const db = kyselyOver('sqlite', async (sql, params) => statements.perform(sql, params, either));
  const session = { db, raw, tx: createTx(db, raw) };
  const held: Statement[] = [];
  function hold<R>(sql: string): Statement<R, []> {
    const statement = database.prepare<R, []>(sql);
    held.push(statement);
    return statement;
  }
  return {
    database,
    gate,
    session,
    begin: hold('BEGIN'),
    end: hold('ROLLBACK'),
    copyByCommits: (isOn) => database.run(`PRAGMA wal_autocheckpoint=${isOn ? CHECKPOINT_PAGES : 0}`),
    reset: statements.reset,
    hold,
    close() {
      statements.reset();
      for (const statement of held) statement.finalize();
      database.close();
    },
  };
}

interface Statements {
  perform<R>(
    sql: string,
    params: readonly unknown[],
    how: (statement: CachedStatement, params: SQLQueryBindings[]) => R,
  ): R;
  reset(): void;
}

/** Prepares, keeps and runs statements, each only for the transaction whose turn it is. */
function statementsOf(database: Database, gate: Gate): Statements {
  const cached = new Map<string, CachedStatement>();
  function prepare(sql: string): CachedStatement {
    const found = cached.get(sql);
    if (found) return found;
    if (cached.size >= STATEMENTS_MAX) {
      const [oldest] = cached.keys();
      if (oldest !== undefined) {
        cached.get(oldest)?.statement.finalize();
        cached.delete(oldest);
      }
    }
    const statement = database.prepare<unknown, SQLQueryBindings[]>(withBlindPlaceholders(sql));
    const made = { statement, givesRows: statement.columnNames.length > 0 };
    cached.set(sql, made);
    return made;
  }
  return {
    perform(sql, params, how) {
      const scope = currentScope();
      if (!scope?.open || scope !== gate.scope)
        throw new Error('a statement ran outside its transaction: something was not awaited');
      if (scope.failed) throw scope.failed.error;
      try {
        // SQLite may have rolled back by itself (disk full): further statements would commit one by one.
        if (!database.inTransaction) throw new Error('the transaction is gone');
        for (const value of params) assertParam(value);
        publishSent(sql, scope.kind);
        return how(prepare(sql), params as SQLQueryBindings[]);
      } catch (error) {
        scope.failed = { error };
        throw error;
      }
    },
    reset() {
      for (const { statement } of cached.values()) statement.finalize();
      cached.clear();
    },
  };
}

const rows = ({ statement }: CachedStatement, params: SQLQueryBindings[]) => statement.all(...params);
const first = ({ statement }: CachedStatement, params: SQLQueryBindings[]) => statement.get(...params) ?? undefined;
const change = ({ statement }: CachedStatement, params: SQLQueryBindings[]) => statement.run(...params).changes;
/** For the query builder, which does not tell whether rows are expected. */
const either = (cached: CachedStatement, params: SQLQueryBindings[]) =>
  cached.givesRows ? { rows: rows(cached, params), changes: null } : { rows: [], changes: change(cached, params) };

function rawOver({ perform }: Statements): Raw {
  return {
    dialect: 'sqlite',
    stopCondition: NEVER_STOPPED,
    all: async <T>(sql: string, params: readonly unknown[] = []) => perform(sql, params, rows) as T[],
    one: async <T>(sql: string, params: readonly unknown[] = []) => perform(sql, params, first) as T | undefined,
    run: async (sql, params = []) => ({ changes: perform(sql, params, change) }),
  };
}
