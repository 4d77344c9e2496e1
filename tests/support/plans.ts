import { CompiledQuery, type Kysely } from 'kysely';
import { kyselyOver } from '#server/data/kysely.ts';
import { withBlindPlaceholders } from '#server/data/placeholders.ts';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import { openConnection } from '#server/data/sqlite-connection.ts';
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
export async function plansOf(db: TestDb, ask: (kysely: Kysely<DB>, raw: Raw) => Promise<unknown>): Promise<Plan[]> {
  const sent: string[] = [];
  await db.database.read(async ({ db: kysely, raw }) => {
    const note = (sql: string): void => void sent.push(sql);
    const spy: Raw = {
      dialect: raw.dialect,
      stopCondition: raw.stopCondition,
      // A view changes nothing: of a change only the plan is asked.
      all: (sql, params) => (note(sql), sql.startsWith('UPDATE') ? Promise.resolve([]) : raw.all(sql, params)),
      one: (sql, params) => (note(sql), sql.startsWith('UPDATE') ? Promise.resolve(undefined) : raw.one(sql, params)),
      run: (sql, params) => (
        note(sql),
        sql.startsWith('DELETE') ? Promise.resolve({ changes: 0 }) : raw.run(sql, params)
      ),
    };
    const spied = kyselyOver(
      raw.dialect,
      async (sql, params) => (
        note(sql),
        kysely.executeQuery(CompiledQuery.raw(sql, [...params])).then(({ rows }) => ({ rows, changes: null }))
      ),
    );
    await ask(spied, spy);
  });
  if (!('path' in db.where)) throw new Error('plans are asked of SQLite');
  // A connection of its own: a plan that was asked for keeps the view open in which it was asked, so that the
  // connection would see nothing of what is written later.
  const connection = openConnection(db.where.path, 'reader');
  const plans = sent.map((sql) => {
    const steps = connection.hold<{ detail: string }>(`EXPLAIN QUERY PLAN ${withBlindPlaceholders(sql)}`).all();
    return { sql, plan: steps.map(({ detail }) => detail).join('\n') };
  });
  connection.close();
  return plans;
}
