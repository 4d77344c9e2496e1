import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { fillCrowd } from '#tests/support/crowd.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { plansOf } from '#tests/support/plans.ts';
import { CONTENT_QUESTIONS } from './hot-questions/content.ts';
import { CREDITS_QUESTIONS } from './hot-questions/credits.ts';
import type { Questions } from './hot-questions/question.ts';
import { SERVERS_QUESTIONS } from './hot-questions/servers.ts';
import { USERS_QUESTIONS } from './hot-questions/users.ts';

const QUESTIONS: Questions = {
  ...CREDITS_QUESTIONS,
  ...USERS_QUESTIONS,
  ...SERVERS_QUESTIONS,
  ...CONTENT_QUESTIONS,
};

/** What a plan calls by a name of ours and is no table; and the roles, of which there are a handful. */
const LEFT_OUT =
  /^(?:source_side|destination_side|e|found|few|moved|g|q|t|\(subquery-\d+\)|CONSTANT ROW|r|r USING .*)$/;
/** Steps of a plan that read a table: `users USING INDEX users_created (…)`. */
const readsOf = (plan: string): string[] =>
  plan
    .split('\n')
    .flatMap((step) => /^(?:SEARCH|SCAN) (.*)$/.exec(step)?.[1] ?? [])
    .filter((step) => !LEFT_OUT.test(step));

const STATISTICS: Readonly<Record<string, (path: string) => void>> = {
  'no statistics': (path) => change(path, 'DROP TABLE IF EXISTS sqlite_stat1'),
  'statistics of a crowd': (path) => change(path, 'ANALYZE'),
  'statistics of a host where one account pays everybody': (path) => {
    change(
      path,
      'ANALYZE',
      'DELETE FROM sqlite_stat1',
      `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
        ('ledger_postings', 'ledger_postings', '10000000 1 1'), ('ledger_postings', 'ledger_postings_source', '10000000 10000000 40 1 1'),
        ('ledger_postings', 'ledger_postings_destination', '10000000 1000000 40 1 1'), ('users', 'users_status_created', '100000 50000 1'), ('users', 'users_all_created', '100000 50000'),
        ('users', 'users_role_created', '100000 100000 1 1'), ('ledger_balances', 'ledger_balances', '300000 1 1'), ('ledger_balances', 'ledger_balances_wealth', '300000 100 1'), ('roles', NULL, '3')`,
    );
  },
};
function change(path: string, ...statements: string[]): void {
  const database = new Database(path);
  for (const statement of statements) database.run(statement);
  database.close();
}

async function plansUnder(prepare: (path: string) => void): Promise<Record<string, string[]>> {
  const db = await openTestDb('sqlite');
  const path = 'path' in db.where ? db.where.path : '';
  await db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
  );
  await db.database.close();
  fillCrowd(path, { users: 2000, movements: 20 });
  prepare(path);
  // Statistics are read when the file is opened.
  const again = openDatabase({ path, bus: createBus(testLog()), log: testLog() });
  const found: Record<string, string[]> = {};
  for (const [name, { ask }] of Object.entries(QUESTIONS)) {
    const plans = await plansOf({ ...db, database: again } satisfies TestDb, ask);
    found[name] = [...new Set(plans.flatMap(({ plan }) => readsOf(plan)))];
  }
  await again.close();
  await db.close();
  return found;
}

test.each(Object.entries(STATISTICS))(
  'T66 hot questions read along the same indexes whatever SQLite believes of the tables: %s',
  async (_, prepare) => {
    expect(await plansUnder(prepare)).toEqual(
      Object.fromEntries(Object.entries(QUESTIONS).map(([name, { reads }]) => [name, [...reads]])),
    );
  },
);
