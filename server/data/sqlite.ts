import { chmodSync, existsSync } from 'node:fs';
import type { Log, Topic } from '#server/modules/kernel.ts';
import { DomainError } from '#shared/errors.ts';
import type { Engine, Session } from './engine.ts';
import { translateDbError } from './faults.ts';
import { COPY_WAIT_MS, createCheckpoints } from './checkpoints.ts';
import { inScope, newScope, refuseNesting, TRANSACTION_MS } from './scope.ts';
import { createReadPool } from './reader/pool.ts';
import type { SpawnReader } from './reader/thread.ts';
import { LATE_LOG_BYTES, openConnection, type Connection } from './sqlite-connection.ts';
import { logOf, type Sync } from './sqlite-flush.ts';
import { createWriter } from './sqlite-writer.ts';

/** Readers at once; a reader holds its view of the data from its first statement to its end. */
const READERS_MAX = 4;

/**
 * SQLite: one writer behind a queue with group commit, and readers of their own beside it (write-ahead log, every
 * commit flushed). In: path of the file, made readable to its owner alone when it is created; `publish` hears the
 * touched topics after each commit; `limitMs` is the most that one command may take; `nowMs` tells how long a commit
 * has been open for those who join it; `sync` brings commits to the disk; `spawnReader` starts a thread for long
 * questions, which without it are answered here, as all others; with `yields` the commands of another process come
 * first; `lateBytes` of log are what whoever writes waits for the copy of. Throws DomainError SERVER_UNAVAILABLE where
 * the file is locked for too long or the disk does not serve.
 */
export function openSqlite(
  path: string,
  publish: (topics: Iterable<Topic>) => void,
  log: Log,
  {
    limitMs = TRANSACTION_MS,
    nowMs = () => performance.now(),
    sync,
    spawnReader,
    yields = false,
    lateBytes = LATE_LOG_BYTES,
    waitMs = COPY_WAIT_MS,
  }: {
    limitMs?: number;
    nowMs?: () => number;
    sync?: Sync | undefined;
    spawnReader?: SpawnReader | undefined;
    yields?: boolean | undefined;
    lateBytes?: number;
    waitMs?: number;
  } = {},
): Engine {
  const fresh = !existsSync(path);
  const long = spawnReader ? createReadPool({ spawn: spawnReader, path, log, nowMs }) : null;
  const writer = openConnection(path, 'writer');
  // A view that is open for minutes keeps the log; the first commit behind it would copy all of it at once.
  if (long) writer.copyByCommits(false);
  if (fresh) chmodSync(path, 0o600);
  const written = logOf(path);
  const { bytes } = written;
  const { copyByCommits } = writer;
  const checkpoints = long
    ? createCheckpoints(() => long.checkpoint(), { bytes, lateBytes, waitMs, copyByCommits })
    : null;
  const { enqueue, drained, failed } = createWriter({
    connection: writer,
    publish,
    sync: sync ?? written.sync,
    limitMs,
    nowMs,
    onCommitted: (rows) => checkpoints?.committed(rows),
    // Nobody is beside a file that begins here: a new installation would wait a second behind its migrations.
    yields: yields && !fresh,
    wait: () => checkpoints?.wait() ?? null,
  });
  const readers = readerPool(path);
  let closed = false;
  function ready(): void {
    // Closed on purpose: a late request, such as a log-in that was being checked, gets 503 and may be repeated.
    if (closed) throw new DomainError('SERVER_UNAVAILABLE');
    // What could not be flushed is seen by readers and may yet be lost: nobody goes by it.
    const fault = failed();
    if (fault) throw translateDbError(fault, log);
    refuseNesting();
  }
  async function withDbErrors<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      throw translateDbError(error, log);
    }
  }
  return {
    dialect: 'sqlite',
    async write(work) {
      ready();
      return withDbErrors(enqueue(work));
    },
    async read(work) {
      ready();
      return withDbErrors(readers.use((connection) => view(connection, work, limitMs)));
    },
    async long(work, options) {
      ready();
      options.signal?.throwIfAborted();
      return withDbErrors(
        long ? long.read(work, options) : readers.use((connection) => view(connection, work, limitMs)),
      );
    },
    async close() {
      if (closed) return;
      closed = true;
      await long?.close();
      await drained();
      await readers.close();
      written.close();
      writer.close();
    },
  };
}

/** Runs questions on one consistent view. A write is refused by SQLite (`query_only`). */
async function view<T>(
  { database, gate, session, begin, end }: Connection,
  work: (session: Session) => Promise<T>,
  limitMs: number,
): Promise<T> {
  const scope = newScope('read');
  begin.run();
  gate.scope = scope;
  try {
    return await inScope(scope, () => work(session), limitMs);
  } finally {
    gate.scope = null;
    if (database.inTransaction) end.run();
  }
}

/** Opens readers as they are needed and hands them out in turn. */
function readerPool(path: string) {
  const free: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  let open = 0;
  let ended: (() => void) | null = null;

  function acquire(): Connection | Promise<Connection> {
    const found = free.pop();
    if (found) return found;
    if (open < READERS_MAX) {
      const made = openConnection(path, 'reader');
      open += 1;
      return made;
    }
    return new Promise((resolve) => waiting.push(resolve));
  }
  function release(connection: Connection): void {
    const next = waiting.shift();
    if (next) return next(connection);
    free.push(connection);
    if (free.length === open) ended?.();
  }
  return {
    async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      const connection = await acquire();
      try {
        return await work(connection);
      } finally {
        release(connection);
      }
    },
    async close(): Promise<void> {
      if (free.length < open) await new Promise<void>((resolve) => (ended = resolve));
      for (const connection of free) connection.close();
    },
  };
}
