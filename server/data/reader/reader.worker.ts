import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { lowerPriority } from '#server/low-priority.ts';
import { withBlindPlaceholders } from '../placeholders.ts';
import type { Answering, Asking, Opening } from './protocol.ts';

/**
 * A thread that answers long questions about a SQLite file on a connection of its own, which cannot write. The first
 * message opens the file; it ends with the thread. Nothing here knows what is asked: the repositories stay where they
 * are and send their statements (pool.ts).
 */
declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<Opening | Asking>) => void): void;
  postMessage(message: Answering): void;
};

/** How long a checkpoint of another process is waited for, memory for pages, and statements that are kept. */
const BUSY_MS = 5000;
const CACHE_KIB = 8000;
const STATEMENTS_MAX = 100;
/** The flag is looked at once in so many rows: often enough to stop within some milliseconds. */
const ROWS_A_LOOK = 256;

let answer: ((asking: Asking) => Answering) | null = null;

self.addEventListener('message', ({ data }) => {
  if ('what' in data) {
    if (answer) self.postMessage(answer(data));
    return;
  }
  // This thread alone gives way to the one that answers everybody.
  lowerPriority('thread');
  answer = open(data);
  self.postMessage({ id: 0, rows: '[]' });
});

function open({ path, flag: shared }: Opening): (asking: Asking) => Answering {
  const flag = new Int32Array(shared);
  const database = new Database(path, { readwrite: true });
  database.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  database.run(`PRAGMA cache_size=-${CACHE_KIB}`);
  database.run('PRAGMA query_only=ON');
  let rows = 0;
  // SQLite cannot be interrupted from outside, but an error in a function of ours ends its statement.
  database.function('stop_asked', () => {
    rows += 1;
    if (rows % ROWS_A_LOOK === 0 && Atomics.load(flag, 0) !== 0) throw new Error('the question was stopped');
    return 0;
  });
  const kept = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  function prepared(sql: string): Statement<unknown, SQLQueryBindings[]> {
    const found = kept.get(sql);
    if (found) return found;
    if (kept.size >= STATEMENTS_MAX) {
      for (const statement of kept.values()) statement.finalize();
      kept.clear();
    }
    const made = database.prepare<unknown, SQLQueryBindings[]>(withBlindPlaceholders(sql));
    kept.set(sql, made);
    return made;
  }
  function perform(asking: Asking): unknown[] {
    if (asking.what === 'rows') {
      // Between two statements too: the caller may have left while this one was on its way.
      if (Atomics.load(flag, 0) !== 0) throw new Error('the question was stopped');
      return prepared(asking.sql).all(...asking.params);
    }
    if (asking.what === 'checkpoint') {
      // It waits for nobody and nobody for it. The file is not changed by it, only where its pages stand.
      database.run('PRAGMA wal_checkpoint(PASSIVE)');
    } else if (asking.what === 'begin') {
      Atomics.store(flag, 0, 0);
      database.run('BEGIN');
    } else if (database.inTransaction) database.run('ROLLBACK');
    return [];
  }
  return (asking) => {
    try {
      return { id: asking.id, rows: JSON.stringify(perform(asking)) };
    } catch (error) {
      return {
        id: asking.id,
        fault: error instanceof Error ? error.message : String(error),
        code: error instanceof SQLiteError ? (error.code ?? null) : null,
      };
    }
  };
}
