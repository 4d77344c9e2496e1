import { afterEach, describe, expect, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { SHARDS } from '#server/data/shards.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, proveLedger, type TestDb } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

// Shows decision 127: what a system account has may stand in several rows.

let db: TestDb;
const ledger = createLedger({ clock: fakeClock(), ids: testIds() });
const SOURCE = 'system:reward.redeem';
const pay = (tx: Tx, user: string, reference: string) =>
  ledger.transfer(tx, {
    kind: 'reward.redeem',
    reference,
    postings: [{ source: SOURCE, destination: `user:${user}`, amount: toCredits(5) }],
  });
const rowsOf = (account: string) =>
  db.sql<{ shard: number }>('SELECT shard FROM ledger_balances WHERE account = ? ORDER BY shard', [account]);

describe('with a database', () => {
  afterEach(async () => {
    await proveLedger(db.uow);
    await db.close();
  });

  test('two transactions move one system account on PostgreSQL, and neither waits for the end of the other', async () => {
    db = await openTestDb('postgres');
    const shards = new Set<number>();
    const transferred = Promise.withResolvers<void>();
    let begun = 0;
    let open = 0;
    await Promise.all(
      Array.from({ length: 4 }, (_, number) =>
        db.database.write(async ({ raw, tx }) => {
          const { shard = -1 } =
            (await raw.one<{ shard: number }>(`SELECT pg_backend_pid() % ${SHARDS} AS shard`)) ?? {};
          begun += 1;
          const isFirst = !shards.has(shard);
          shards.add(shard);
          // Connections that share a row would wait for each other.
          if (isFirst) {
            open += 1;
            await pay(tx, `user${number}`, `at-once:${number}`);
            open -= 1;
          }
          if (begun === 4 && open === 0) transferred.resolve();
          await transferred.promise;
        }),
      ),
    );
    expect(shards.size).toBeGreaterThan(1);
    expect((await rowsOf(SOURCE)).map(({ shard }) => shard)).toEqual([...shards].toSorted((a, b) => a - b));
    expect(await db.uow.read((tx) => ledger.balance(tx, SOURCE))).toBe(-5 * shards.size);
  });

  test.each(ENGINES)('T1 a hundred transfers at once of one system account are one sum, on %s', async (engine) => {
    db = await openTestDb(engine);
    await Promise.all(
      Array.from({ length: 100 }, (_, number) => db.uow.run((tx) => pay(tx, `user${number % 7}`, `many:${number}`))),
    );
    expect(await db.uow.read((tx) => ledger.balance(tx, SOURCE))).toBe(-500);
    const [{ minted, moves } = {}] = await db.sql<{ minted: number; moves: number }>(
      'SELECT CAST(SUM(minted) AS BIGINT) AS minted, CAST(SUM(moves) AS BIGINT) AS moves FROM ledger_days WHERE account = ?',
      [SOURCE],
    );
    expect([minted, moves]).toEqual([500, 100]);
    const rows = (await rowsOf(SOURCE)).length;
    if (engine === 'sqlite') expect(rows).toBe(1);
    else expect(rows).toBeGreaterThan(1);
    // A row of a wallet is one, and says what the wallet had after each.
    expect(await rowsOf('user:user3')).toEqual([{ shard: 0 }]);
    const after = await db.sql<{ source: number; wallet: number }>(
      'SELECT source_after AS source, destination_after AS wallet FROM ledger_postings WHERE destination = ? ORDER BY destination_after',
      ['user:user3'],
    );
    expect(after).toEqual(Array.from({ length: 14 }, (_, index) => ({ source: 0, wallet: 5 * (index + 1) })));
  });
});

test.each(ENGINES)('E11 sums of before keep their rows, their walls and their indexes, on %s', (engine) =>
  withMigrations(
    engine,
    (name) => name < '0221',
    async (database) => {
      const run = (sql: string) => database.write(({ raw }) => raw.run(sql));
      await run(
        "INSERT INTO ledger_balances (account, balance, frozen_ms) VALUES ('system:store', -7, NULL), ('user:a', 7, 3)",
      );
      await run(
        "INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves) VALUES ('2026-01-01', 'system:store', 'k', 7, 0, 0, 0, 1)",
      );
      await run(
        "INSERT INTO earn_counters (user_id, source, day, credits) VALUES ('*', 'afk', '2026-01-01', 7), ('a', 'afk', '2026-01-01', 7)",
      );
      const tables = ['ledger_balances', 'ledger_days', 'earn_counters'];
      const rows = () =>
        database.read(({ raw }) =>
          Promise.all(tables.map((table) => raw.all<Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY 1`))),
        );
      const before = await rows();
      await migrate(database, TEST_START);
      expect(await rows()).toEqual(before.map((list) => list.map((row) => ({ ...row, shard: 0 }))));
      await run("INSERT INTO ledger_balances (account, shard, balance) VALUES ('system:store', 1, -1)");
      for (const refused of [
        "INSERT INTO ledger_balances (account, shard, balance) VALUES ('user:a', 1, 1)",
        "INSERT INTO ledger_balances (account, shard, balance) VALUES ('system:store', 1, -1)",
        "INSERT INTO ledger_balances (account, balance) VALUES ('user:b', -1)",
        "INSERT INTO ledger_balances (account, balance) VALUES ('system:images', 9007199254740992)",
        "INSERT INTO ledger_days (day, account, kind, shard, minted, burnt, moved, other, moves) VALUES ('2026-01-02', 'system:store', 'k', -1, 7, 0, 0, 0, 1)",
        "INSERT INTO earn_counters (user_id, source, day, shard, credits) VALUES ('a', 'afk', '2026-01-01', 1, 7)",
        "INSERT INTO earn_counters (user_id, source, day, credits) VALUES ('b', 'afk', '2026-01-01', -1)",
        'CREATE INDEX ledger_balances_wealth ON ledger_balances (account)',
        'CREATE INDEX ledger_balances_frozen ON ledger_balances (account)',
        'CREATE INDEX earn_counters_day ON earn_counters (day)',
      ])
        await expect(run(refused), refused).rejects.toThrow();
    },
  ),
);
