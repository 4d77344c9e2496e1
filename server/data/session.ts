import type { Dialect } from './dialect.ts';
import type { Session } from './engine.ts';
import { kyselyOver, type Execute } from './kysely.ts';
import { assertParam, type Param, type Raw } from './raw.ts';
import { currentScope, type Scope } from './scope.ts';
import { publishSent } from './sent.ts';
import { createTx } from './tx.ts';

/**
 * The inside of a transaction whose statements are answered elsewhere (a server, another thread). In: how one statement
 * runs, in the engine's own placeholders; `stopCondition`, the condition by which it can be stopped. A statement that
 * runs outside its transaction, or after one that failed, is refused.
 */
export function sessionThrough(
  dialect: Dialect,
  scope: Scope,
  perform: Execute,
  { stopCondition, text }: { stopCondition: string; text: (sql: string) => string },
): Session {
  const execute: Execute = async (sql, params) => {
    if (!scope.open || currentScope() !== scope)
      throw new Error('a statement ran outside its transaction: something was not awaited');
    if (scope.failed) throw scope.failed.error;
    try {
      for (const value of params) assertParam(value);
      publishSent(sql, scope.kind);
      return await perform(sql, params);
    } catch (error) {
      scope.failed ??= { error };
      throw error;
    }
  };
  const rowsOf = async (sql: string, params: readonly Param[] = []) => (await execute(text(sql), params)).rows;
  const raw: Raw = {
    dialect,
    stopCondition,
    all: async <T>(sql: string, params?: readonly Param[]) => (await rowsOf(sql, params)) as T[],
    one: async <T>(sql: string, params?: readonly Param[]) => (await rowsOf(sql, params))[0] as T | undefined,
    run: async (sql, params = []) => ({ changes: (await execute(text(sql), params)).changes ?? 0 }),
  };
  const db = kyselyOver(dialect, execute);
  return { db, raw, tx: createTx(db, raw) };
}
