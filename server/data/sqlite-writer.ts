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
/** Pause between two tries to get a lock that another process holds. */
const RETRY_MS = 5;
/** How long one that yields leaves the lock alone behind a commit: whoever waits tries again meanwhile. */
const YIELD_MS = 2 * RETRY_MS;

/** A command in the queue, with the promise of whoever sent it. */
interface Queued {
  readonly work: (session: Session) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface WriterDeps {
  readonly connection: Connection;
  /**
   * Gets the topics of the commands that went through, once a batch, when they are on the disk and before their
   * promises are resolved.
   */
  readonly publish: (topics: Iterable<Topic>) => void;
  /** Brings commits to the disk. */
  readonly sync: Sync;
  /** A command that takes longer is rolled back. */
  readonly limitMs: number;
  /** A clock that only goes forward; it measures how long a batch stays open. */
  readonly nowMs: () => number;
  /** Hears after each commit how many rows it changed. */
  readonly onCommitted: (rows: number) => void;
  /** Another process comes first: it gets its turn behind every commit. */
  readonly yields: boolean;
  /** What is waited for before the next batch begins; null: nothing. */
  readonly wait: () => Promise<unknown> | null;
}

/** Commands of one commit: how each is answered once that is on the disk, and what they touched. */
interface Batch {
  readonly commands: readonly Queued[];
  readonly answers: readonly (() => void)[];
  readonly topics: ReadonlySet<Topic>;
  /** Whether there is anything to be flushed. */
  readonly wrote: boolean;
}

/**
 * The one writer of a SQLite file. Commands wait in a queue and run one after the other, each in a savepoint; those
 * that wait together share one BEGIN IMMEDIATE … COMMIT. No promise is resolved before that commit is on the disk, and
 * none rejected either, for a command may have been refused because of what a neighbour wrote. A failing commit rejects
 * them all. The disk is flushed beside the next batch, which stays open for more commands as long as that takes: it
 * could not be flushed before.
 */
export function createWriter(deps: WriterDeps) {
  const { publish, sync } = deps;
  const queue = createQueue();
  const flusher = createFlusher(sync);
  const commitBatch = createCommitter(deps, queue, flusher);
  const activity = createActivity();
  let isRunning = false;

  async function answerWhenFlushed({ commands, answers, topics, wrote }: Batch): Promise<void> {
    try {
      await (wrote ? flusher.flush() : flusher.flushed());
      if (topics.size > 0) publish(topics);
      for (const answer of answers) answer();
    } catch (error) {
      for (const command of commands) command.reject(error);
    }
  }

  let committedMs = -Infinity;
  async function runQueue(): Promise<void> {
    while (!queue.isEmpty()) {
      const yieldMs = deps.yields ? committedMs + YIELD_MS - deps.nowMs() : 0;
      if (yieldMs > 0) await Bun.sleep(yieldMs);
      const waited = deps.wait();
      if (waited) await waited;
      const batch = await commitBatch();
      committedMs = deps.nowMs();
      if (batch) void activity.during(() => answerWhenFlushed(batch));
      // Whoever was answered may ask again, and whoever waits at a socket joins.
      if (!queue.isEmpty()) await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    isRunning = false;
  }

  return {
    /** Queues a command. Out: its answer, when its commit is on the disk. */
    enqueue<T>(work: (session: Session) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.add({ work, resolve: (value) => resolve(value as T), reject });
        if (isRunning) return;
        isRunning = true;
        void activity.during(async () => {
          // After everything that came in with the same round of the event loop: requests of many connections share a
          // commit.
          await new Promise<void>((begin) => void setImmediate(begin));
          await runQueue();
        });
      });
    },
    /** The fault of the disk after which the file must be opened anew; null where there is none. */
    failed: flusher.failed,
    /** Resolves when nothing waits and nothing runs. */
    drained: activity.ended,
  };
}

/** Counts what runs. `ended` resolves when nothing does. */
function createActivity() {
  let running = 0;
  let waiting: (() => void)[] = [];
  return {
    async during(work: () => Promise<void>): Promise<void> {
      running += 1;
      await work();
      running -= 1;
      if (running > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    ended: (): Promise<void> =>
      running > 0 ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve(),
  };
}

/**
 * Runs queued commands in one transaction and commits it. Out: the batch that is to be flushed and answered; null where
 * the transaction failed, which its commands have heard.
 */
function createCommitter(
  { connection, limitMs, nowMs, onCommitted }: WriterDeps,
  queue: Queue,
  flusher: ReturnType<typeof createFlusher>,
): () => Promise<Batch | null> {
  const { database, hold } = connection;
  const begin = hold('BEGIN IMMEDIATE');
  const commit = hold('COMMIT');
  const rollback = hold('ROLLBACK');
  const runCommand = createCommandRunner(connection, limitMs);
  const changes = hold<{ rows: number; tables: number }>(
    'SELECT total_changes() AS rows, schema_version AS tables FROM pragma_schema_version',
  );
  /** Differs whenever something was written: a batch that wrote nothing need not be flushed. */
  const changeMark = () => changes.get() ?? { rows: 0, tables: 0 };

  /** The next command for an open batch of `count`, null when it is to be committed. */
  async function nextCommand(count: number, started: number): Promise<Queued | null> {
    for (;;) {
      if (count >= BATCH_MAX || (count > 0 && nowMs() - started >= BATCH_MS)) return null;
      const command = queue.take();
      if (command) return command;
      const flush = flusher.running();
      if (!flush) return null;
      await queue.addedOr(flush);
    }
  }

  return async () => {
    const commands: Queued[] = [];
    const answers: (() => void)[] = [];
    const topics = new Set<Topic>();
    try {
      const failed = flusher.failed();
      if (failed) throw failed;
      await beginWhenUnlocked(begin);
      const started = nowMs();
      const before = changeMark();
      for (let next = await nextCommand(0, started); next; next = await nextCommand(commands.length, started)) {
        commands.push(next);
        answers.push(await runCommand(next, topics));
      }
      const after = changeMark();
      const wrote = after.rows !== before.rows || after.tables !== before.tables;
      commit.run();
      onCommitted(after.rows - before.rows);
      return { commands, answers, topics, wrote };
    } catch (error) {
      connection.reset();
      if (database.inTransaction) rollback.run();
      // A begin that failed took nobody: the first in the queue hears of it, or it would be tried for ever.
      const first = commands.length === 0 ? queue.take() : undefined;
      for (const command of first ? [first] : commands) command.reject(error);
      return null;
    }
  };
}

type Queue = ReturnType<typeof createQueue>;

/** The commands that wait, first come first served. */
function createQueue() {
  let list: Queued[] = [];
  let next = 0;
  let onAdded: (() => void) | null = null;
  return {
    add(command: Queued): void {
      list.push(command);
      onAdded?.();
    },
    /** Resolves when a command is added, or when something else has ended, well or not. */
    addedOr: (other: Promise<unknown>) =>
      new Promise<void>((resolve) => {
        const end = () => {
          onAdded = null;
          resolve();
        };
        onAdded = end;
        other.then(end, end);
      }),
    isEmpty: () => next === list.length,
    take(): Queued | undefined {
      const command = list[next];
      if (command === undefined) return undefined;
      next += 1;
      if (next === list.length) {
        list = [];
        next = 0;
      }
      return command;
    },
  };
}

/**
 * Runs one command inside the open transaction. Out: how it is answered after the commit. Throws when the whole
 * transaction is lost.
 */
function createCommandRunner(
  { database, gate, session, hold }: Connection,
  limitMs: number,
): (command: Queued, topics: Set<Topic>) => Promise<() => void> {
  const save = hold('SAVEPOINT command');
  const keep = hold('RELEASE command');
  const undo = hold('ROLLBACK TO command');
  return async (command, topics) => {
    const scope = newScope('write');
    save.run();
    gate.scope = scope;
    try {
      const value = await inScope(scope, () => command.work(session), limitMs);
      if (!database.inTransaction) throw new Error('the transaction is gone');
      keep.run();
      for (const topic of scope.topics) topics.add(topic);
      return () => command.resolve(value);
    } catch (error) {
      if (!database.inTransaction) throw error;
      undo.run();
      keep.run();
      return () => command.reject(error);
    } finally {
      gate.scope = null;
    }
  };
}

/**
 * Begins the transaction. While another process writes, the event loop goes on; after some seconds it throws
 * SQLITE_BUSY.
 */
async function beginWhenUnlocked(begin: Statement): Promise<void> {
  const until = performance.now() + BUSY_MS;
  for (;;) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!(error instanceof SQLiteError) || error.code !== 'SQLITE_BUSY' || performance.now() > until) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}
