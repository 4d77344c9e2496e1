import { CompiledQuery, type Kysely } from 'kysely';
import { kyselyOver } from '#server/data/kysely.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { TestDb } from './db.ts';

export interface Plan {
  readonly sql: string;
  /** The steps of SQLite's plan, one a line. */
  readonly plan: string;
}

/**
 * What SQLite would do for every statement that `ask` sends: how a test proves that a question reads along an index.
 * In: a SQLite database.
 */
export function plansOf(db: TestDb, ask: (kysely: Kysely<DB>, raw: Raw) => Promise<unknown>): Promise<Plan[]> {
  return db.database.read(async ({ db: kysely, raw }) => {
    const sent: [string, readonly Param[]][] = [];
    const note = (sql: string, params: readonly Param[] = []): void => void sent.push([sql, params]);
    const spy: Raw = {
      dialect: raw.dialect,
      stopCondition: raw.stopCondition,
      // A view changes nothing: of a change only the plan is asked.
      all: (sql, params) => (note(sql, params), sql.startsWith('UPDATE') ? Promise.resolve([]) : raw.all(sql, params)),
      one: (sql, params) => (note(sql, params), raw.one(sql, params)),
      run: (sql, params) => (note(sql, params), raw.run(sql, params)),
    };
    const spied = kyselyOver(
      raw.dialect,
      async (sql, params) => (
        note(sql, params as readonly Param[]),
        kysely.executeQuery(CompiledQuery.raw(sql, [...params])).then(({ rows }) => ({ rows, changes: null }))
      ),
    );
    await ask(spied, spy);
    const plans: Plan[] = [];
    for (const [sql, params] of sent) {
      const steps = await raw.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      plans.push({ sql, plan: steps.map(({ detail }) => detail).join('\n') });
    }
    return plans;
  });
}
