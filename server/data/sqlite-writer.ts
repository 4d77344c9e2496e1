import { SQLiteError, type Statement } from 'bun:sqlite';
import type { Topic } from '#server/modules/kernel.ts';
import type { Session } from './engine.ts';
import { inScope, newScope } from './scope.ts';
import { BUSY_MS, type Connection } from './sqlite-connection.ts';
import { createFlusher, type Sync } from './sqlite-flush.ts';

/**
 * Most commands in one commit, and how long commands may go on joining one: bounds how long the first waits for its
 * answer.
 */
const BATCH_MAX = 256;
const BATCH_MS = 10;
/** Pause between two looks at a lock that another process holds. */
const LOOK_MS = 5;

interface Waiting {
  readonly work: (session: Session) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface WriterDeps {
  readonly connection: Connection;
  /**
   * Gets the topics of the commands that went through, once a batch, when they are on the disk and before their
   * promises settle.
   */
  readonly publish: (topics: Iterable<Topic>) => void;
  /** Brings commits to the disk. */
  readonly sync: Sync;
  /** A command that takes longer is rolled back. */
  readonly limitMs: number;
  /** A clock that only goes forward; it measures how long a batch stays open. */
  readonly nowMs: () => number;
}

/** Commands of one commit: who waits, how to settle what they wait for, and what they touched. */
interface Batch {
  readonly taken: readonly Waiting[];
  readonly settle: readonly (() => void)[];
  readonly topics: ReadonlySet<Topic>;
}

/**
 * The one writer of a SQLite file. Commands wait in a queue and run one after the other, each in a savepoint; those
 * that wait together share one BEGIN IMMEDIATE … COMMIT. No promise settles before that commit is on the disk, a
 * refused one neither, for it may have been refused because of what a neighbour wrote. A failing commit rejects them
 * all. The disk is flushed beside the next batch, which stays open for more commands as long as that takes: it could
 * not be flushed before.
 */
export function createWriter({ connection, publish, sync, limitMs, nowMs }: WriterDeps) {
  const { database } = connection;
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const command = commandsOf(connection, limitMs);
  const queue = createQueue();
  const flusher = createFlusher(sync);
  const changes = database.prepare<{ rows: number; tables: number }, []>(
    'SELECT total_changes() AS rows, schema_version AS tables FROM pragma_schema_version',
  );
  /** Changes whenever something is written: a batch that wrote nothing need not be flushed. */
  function written(): string {
    const { rows, tables } = changes.get() ?? { rows: 0, tables: 0 };
    return `${rows}/${tables}`;
  }
  let pumping = false;
  let landing = 0;
  let idle: (() => void)[] = [];

  /** The next command for an open batch, null when it is to be committed. */
  async function another(taken: number, started: number): Promise<Waiting | null> {
    for (;;) {
      if (taken >= BATCH_MAX || (taken > 0 && nowMs() - started >= BATCH_MS)) return null;
      const waiting = queue.take();
      if (waiting) return waiting;
      const flush = flusher.running();
      if (!flush) return null;
      await queue.comes(flush);
    }
  }

  async function batch(): Promise<void> {
    const taken: Waiting[] = [];
    const settle: (() => void)[] = [];
    const topics = new Set<Topic>();
    let wrote = true;
    try {
      const failed = flusher.failed();
      if (failed) throw failed;
      await open(begin);
      const started = nowMs();
      const before = written();
      for (let waiting = await another(0, started); waiting; waiting = await another(taken.length, started)) {
        taken.push(waiting);
        settle.push(await command(waiting, topics));
      }
      wrote = written() !== before;
      commit.run();
    } catch (error) {
      connection.reset();
      if (database.inTransaction) rollback.run();
      // A begin that failed took nobody: the first in the queue hears of it, or it would be tried for ever.
      const first = taken.length === 0 ? queue.take() : undefined;
      for (const waiting of first ? [first] : taken) waiting.reject(error);
      return;
    }
    landing += 1;
    void land(wrote ? flusher.flush() : flusher.flushed(), { taken, settle, topics });
  }
  async function land(flushed: Promise<void>, { taken, settle, topics }: Batch): Promise<void> {
    try {
      await flushed;
      if (topics.size > 0) publish(topics);
      for (const done of settle) done();
    } catch (error) {
      for (const waiting of taken) waiting.reject(error);
    }
    landing -= 1;
    rest();
  }
  function rest(): void {
    if (pumping || landing > 0) return;
    for (const wake of idle) wake();
    idle = [];
  }

  async function pump(): Promise<void> {
    while (queue.waits()) {
      await batch();
      // Whoever was answered may ask again, and whoever waits at a socket joins.
      if (queue.waits()) await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    pumping = false;
    rest();
  }

  return {
    /** Queues a command. Out: its answer, when its commit is on the disk. */
    enqueue<T>(work: (session: Session) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.add({ work, resolve: (value) => resolve(value as T), reject });
        if (pumping) return;
        pumping = true;
        // After everything that came in with the same turn of the event loop: requests of many connections share a
        // commit.
        setImmediate(() => void pump());
      });
    },
    /** The fault of the disk after which the file must be opened anew; null where there is none. */
    failed: flusher.failed,
    /** Resolves when nothing waits and nothing runs. */
    drained(): Promise<void> {
      return pumping || landing > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve();
    },
  };
}

/** Who waits, first come first served. */
function createQueue() {
  let list: Waiting[] = [];
  let next = 0;
  let came: (() => void) | null = null;
  return {
    add(waiting: Waiting): void {
      list.push(waiting);
      came?.();
    },
    /** Resolves when somebody comes, or when something else has ended, well or not. */
    comes: (other: Promise<unknown>) =>
      new Promise<void>((resolve) => {
        const end = () => {
          came = null;
          resolve();
        };
        came = end;
        other.then(end, end);
      }),
    waits: () => next < list.length,
    take(): Waiting | undefined {
      const waiting = list[next];
      if (waiting === undefined) return undefined;
      next += 1;
      if (next === list.length) {
        list = [];
        next = 0;
      }
      return waiting;
    },
  };
}

/**
 * Runs one command inside the open transaction. Out: how to settle its promise after the commit. Throws when the whole
 * transaction is lost.
 */
function commandsOf(
  { database, gate, session }: Connection,
  limitMs: number,
): (waiting: Waiting, topics: Set<Topic>) => Promise<() => void> {
  const save = database.prepare('SAVEPOINT command');
  const keep = database.prepare('RELEASE command');
  const undo = database.prepare('ROLLBACK TO command');
  return async (waiting, topics) => {
    const scope = newScope('write');
    save.run();
    gate.scope = scope;
    try {
      const value = await inScope(scope, () => waiting.work(session), limitMs);
      if (!database.inTransaction) throw new Error('the transaction is gone');
      keep.run();
      for (const topic of scope.topics) topics.add(topic);
      return () => waiting.resolve(value);
    } catch (error) {
      if (!database.inTransaction) throw error;
      undo.run();
      keep.run();
      return () => waiting.reject(error);
    } finally {
      gate.scope = null;
    }
  };
}

/**
 * Begins the transaction. While another process writes, the event loop goes on; after some seconds it throws
 * SQLITE_BUSY.
 */
async function open(begin: Statement): Promise<void> {
  const until = performance.now() + BUSY_MS;
  for (;;) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!(error instanceof SQLiteError) || error.code !== 'SQLITE_BUSY' || performance.now() > until) throw error;
      await Bun.sleep(LOOK_MS);
    }
  }
}
