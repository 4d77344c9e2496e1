import { SQL, type ReservedSQL } from 'bun';
import type { Log, Topic } from '#server/modules/kernel.ts';
import type { Engine, Session } from './engine.ts';
import { sqlState, told } from './faults.ts';
import { kyselyOver, type Execute } from './kysely.ts';
import { assertParam, toNumbered, type Raw } from './raw.ts';
import { currentScope, inScope, newScope, refuseNesting, type Scope } from './scope.ts';
import { createTx } from './tx.ts';

const POOL_MAX = 10;
/** Tries beyond the first after a serialisation failure or a deadlock. */
const RETRIES = 3;
/** SQLSTATE of faults that a new try may not meet: serialisation failure, deadlock. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * PostgreSQL: a pool, READ COMMITTED with row locks taken by the repositories, new tries where the engine asks for one.
 * In: connection address; `publish` hears the touched topics after each commit. Throws DomainError SERVER_UNAVAILABLE while it cannot be reached.
 */
export function openPostgres(url: string, publish: (topics: Iterable<Topic>) => void, log: Log): Engine {
  const sql = new SQL(url, { max: POOL_MAX, bigint: true, connection: { application_name: 'spawnpoint', idle_in_transaction_session_timeout: 60_000 } });
  async function attempt<T>(kind: Scope['kind'], work: (session: Session) => Promise<T>): Promise<T> {
    const scope = newScope(kind);
    const connection = await sql.reserve();
    try {
      const value = await transaction(connection, scope, work);
      if (scope.topics.size > 0) publish(scope.topics);
      return value;
    } finally {
      connection.release();
    }
  }
  return {
    dialect: 'postgres',
    async write(work) {
      refuseNesting();
      for (let left = RETRIES; ; left -= 1) {
        try {
          return await attempt('write', work);
        } catch (error) {
          if (left === 0 || !AGAIN.has(sqlState(error))) throw told(error, log);
        }
      }
    },
    async read(work) {
      refuseNesting();
      try {
        return await attempt('read', work);
      } catch (error) {
        throw told(error, log);
      }
    },
    async close() {
      await sql.close({ timeout: 10 });
    },
  };
}

async function transaction<T>(connection: ReservedSQL, scope: Scope, work: (session: Session) => Promise<T>): Promise<T> {
  await connection.unsafe(scope.kind === 'write' ? 'BEGIN ISOLATION LEVEL READ COMMITTED' : 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  let value: T;
  try {
    value = await inScope(scope, () => work(sessionOver(connection, scope)));
  } catch (error) {
    // The connection itself may be what broke; the first error is the one to tell.
    await connection.unsafe('ROLLBACK').catch(() => undefined);
    throw error;
  }
  const { command } = await connection.unsafe('COMMIT');
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
  return value;
}

function sessionOver(connection: ReservedSQL, scope: Scope): Session {
  const execute: Execute = async (text, params) => {
    if (!scope.open || currentScope() !== scope) throw new Error('a statement ran outside its transaction: something was not awaited');
    if (scope.failed) throw scope.failed.error;
    try {
      for (const value of params) assertParam(value);
      const result = await connection.unsafe(text, params as unknown[]);
      for (const row of result) plainNumbers(row);
      return { rows: Array.from(result), changes: result.count };
    } catch (error) {
      scope.failed ??= { error };
      throw error;
    }
  };
  const raw: Raw = {
    dialect: 'postgres',
    all: async <T>(text: string, params: readonly unknown[] = []) => (await execute(toNumbered(text), params)).rows as T[],
    one: async <T>(text: string, params: readonly unknown[] = []) => (await execute(toNumbered(text), params)).rows[0] as T | undefined,
    run: async (text, params = []) => ({ changes: (await execute(toNumbered(text), params)).changes ?? 0 }),
  };
  const db = kyselyOver('postgres', execute);
  return { db, raw, tx: createTx(db, raw) };
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
