import { SQL, type ReservedSQL } from 'bun';
import type { Log, Topic } from '#server/modules/kernel.ts';
import type { LongRead } from '#server/modules/tx.ts';
import { DomainError } from '#shared/errors.ts';
import type { Engine, Session } from './engine.ts';
import { ReaderError, sqlState, translateDbError } from './faults.ts';
import type { Execute } from './kysely.ts';
import { NEVER_STOPPED, toNumbered } from './raw.ts';
import type { ProcessChannel } from './process-channel.ts';
import { createLanes, limitOf, READERS } from './reader/lanes.ts';
import { inScope, newScope, refuseNesting, TRANSACTION_MS, type Scope } from './scope.ts';
import { sessionThrough } from './session.ts';

/** Connections at most, where nobody says otherwise. */
const POOL_MAX = 10;
/** Tries beyond the first after a serialisation failure or a deadlock. */
const RETRIES = 3;
/** SQLSTATE of faults that a new try may not meet: serialisation failure, deadlock. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);

type Connection = Pick<ReservedSQL, 'unsafe' | 'release'>;
/** Connections to a database. */
export type PostgresPool = Pick<SQL, 'unsafe' | 'close'> & { reserve(): Promise<Connection> };

/** Connections as the product has them, opened with the first question. In: address; how many at most. */
export const createPostgresPool = (url: string, max = POOL_MAX): SQL =>
  new SQL(url, {
    max,
    bigint: true,
    connection: { application_name: 'spawnpoint', idle_in_transaction_session_timeout: 60_000 },
  });

/**
 * PostgreSQL: a pool, READ COMMITTED with row locks taken by the repositories, new tries where the engine asks for one.
 * In: `publish` hears the touched topics after each commit; `channel`, what says some of them with the commit to other
 * processes, and closes with the engine. Throws DomainError SERVER_UNAVAILABLE while it cannot be reached.
 */
export function openPostgres(
  sql: PostgresPool,
  publish: (topics: Iterable<Topic>) => void,
  log: Log,
  channel: Pick<ProcessChannel, 'statementOf' | 'close'> | null = null,
): Engine {
  // Long questions take a few connections of the pool at most: the others are for those who wait.
  const lanes = createLanes(READERS);
  async function attempt<T>(
    kind: Scope['kind'],
    work: (session: Session) => Promise<T>,
    limitMs = TRANSACTION_MS,
  ): Promise<T> {
    const scope = newScope(kind);
    const connection = await sql.reserve();
    try {
      const value = await transaction(connection, scope, work, { limitMs, channel });
      if (scope.topics.size > 0) publish(scope.topics);
      return value;
    } finally {
      await connection.release();
    }
  }
  let closed = false;
  function ready(): void {
    // Closed on purpose: a late request, such as a log-in that was being checked, gets 503 and may be repeated.
    if (closed) throw new DomainError('SERVER_UNAVAILABLE');
    refuseNesting();
  }
  return {
    dialect: 'postgres',
    async write(work) {
      ready();
      for (let left = RETRIES; ; left -= 1) {
        try {
          return await attempt('write', work);
        } catch (error) {
          if (left === 0 || !AGAIN.has(sqlState(error))) throw translateDbError(error, log);
        }
      }
    },
    async read(work) {
      ready();
      try {
        return await attempt('read', work);
      } catch (error) {
        throw translateDbError(error, log);
      }
    },
    async long(work, options) {
      ready();
      const leave = await lanes.enter(options);
      const begunMs = performance.now();
      try {
        return await attempt('read', (session) => stoppable(sql, session, work, options), limitOf(options));
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason;
        const late = performance.now() - begunMs >= limitOf(options);
        throw translateDbError(
          late ? new ReaderError(`a question took longer than ${limitOf(options)} ms`, null) : error,
          log,
        );
      } finally {
        leave();
      }
    },
    async close() {
      closed = true;
      lanes.close();
      await sql.close({ timeout: 10 });
      await channel?.close();
    },
  };
}

/**
 * Asks within limits: the server itself ends a statement that takes longer than it may, and is asked to when the caller
 * leaves.
 */
async function stoppable<T>(
  sql: PostgresPool,
  session: Session,
  work: (session: Session) => Promise<T>,
  { signal, ...options }: LongRead,
): Promise<T> {
  // One round trip for both. The limit ends with the transaction.
  const row = await session.raw.one<{ pid: number }>(
    "SELECT pg_backend_pid() AS pid, set_config('statement_timeout', ?, true)",
    [String(Math.ceil(limitOf(options)))],
  );
  let stopping: Promise<unknown> = Promise.resolve();
  const stop = () => {
    stopping = sql.unsafe('SELECT pg_cancel_backend($1::int)', [row?.pid]).catch(() => undefined);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    signal?.throwIfAborted();
    return await work(session);
  } finally {
    signal?.removeEventListener('abort', stop);
    // The connection is not given back before the word has reached the server: it would end a statement of somebody
    // else.
    await stopping;
  }
}

async function transaction<T>(
  connection: Connection,
  scope: Scope,
  work: (session: Session) => Promise<T>,
  { limitMs, channel }: { limitMs: number; channel: Pick<ProcessChannel, 'statementOf'> | null },
): Promise<T> {
  await connection.unsafe(
    scope.kind === 'write' ? 'BEGIN ISOLATION LEVEL READ COMMITTED' : 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  );
  try {
    const value = await inScope(scope, () => work(sessionOver(connection, scope)), limitMs);
    await commit(connection, channel?.statementOf(scope.topics) ?? '');
    return value;
  } catch (error) {
    // The connection itself may be what broke; the first error is the one to tell.
    await connection.unsafe('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Commits, and says in the same round trip what others have to hear if and only if that is done. */
async function commit(connection: Connection, message: string): Promise<void> {
  const results = await connection.unsafe(`${message} COMMIT`);
  // Of several statements each has a result.
  const { command } = message === '' ? results : (results.at(-1) as typeof results);
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
}

function sessionOver(connection: Connection, scope: Scope): Session {
  const perform: Execute = async (text, params) => {
    const result = await connection.unsafe(text, params as unknown[]);
    for (const row of result) plainNumbers(row);
    return { rows: Array.from(result), changes: result.count };
  };
  return sessionThrough('postgres', scope, perform, { stopCondition: NEVER_STOPPED, text: toNumbered });
}

/** 64-bit integers arrive as BigInt: to numbers, in place. Throws RangeError for one that a number cannot hold. */
function plainNumbers(row: Record<string, unknown>): void {
  for (const key in row) {
    const value = row[key];
    if (typeof value !== 'bigint') continue;
    const plain = Number(value);
    if (!Number.isSafeInteger(plain)) throw new RangeError(`not a safe whole number: ${value}`);
    row[key] = plain;
  }
}
