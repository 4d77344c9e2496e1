import { afterEach, describe, expect, test } from 'bun:test';
import { statement, statementCsv, type StatementDeps } from '#server/api/statement.ts';
import type { Raw } from '#server/data/raw.ts';
import { createLedgerRepo } from '#server/data/repos/ledger.ts';
import { openConnection } from '#server/data/sqlite-connection.ts';
import { inScope, newScope } from '#server/data/scope.ts';
import { createLedger, type HistoryQuery } from '#server/modules/ledger/index.ts';
import type { LongRead, Tx } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, proveLedger, spawnReader, type Engine, type TestDb } from '#tests/support/db.ts';

/** Lines of the long wallet; a year and more of somebody who is often AFK has as many. */
const LINES = 18_500;
/** Lines of a transaction, and of a part of the file. */
const PART = 500;
const USER = 'long';
const ME = `user:${USER}` as const;
const asked = { userId: USER, staff: false, signal: new AbortController().signal };
const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;

let db: TestDb | undefined;
afterEach(async () => {
  if (db) await proveLedger(db.uow);
  await db?.close();
  db = undefined;
});

/**
 * A wallet with very many lines, and a statement over it that counts its statements and the postings each looks at
 * (SQLite).
 */
async function longWallet(engine: Engine) {
  const open = (db = await openTestDb(engine, spawnReader));
  const clock = fakeClock();
  const ledger = createLedger({ clock, ids: testIds() });
  const give = (reference: string) =>
    open.uow.run((tx) =>
      ledger.transfer(tx, {
        kind: 'reward.afk',
        reference,
        postings: [{ source: 'system:reward.afk', destination: ME, amount: toCredits(1) }],
      }),
    );
  const posting = { source: 'system:reward.afk', destination: ME, amount: toCredits(1) } as const;
  for (let first = 0; first < LINES; first += PART) {
    await open.uow.run((tx) =>
      ledger.transfer(tx, {
        kind: 'reward.afk',
        reference: `line:${first}`,
        postings: Array.from({ length: PART }, () => posting),
      }),
    );
    clock.advance(60_000);
  }
  const seen = { statements: 0 };
  const counting = <T>(work: (tx: Tx) => Promise<T>, options: LongRead) =>
    open.database.readLong(async ({ raw, tx }) => {
      const spy: Raw = {
        ...raw,
        all: (sql, params) => ((seen.statements += 1), raw.all(sql, params)),
        one: (sql, params) => ((seen.statements += 1), raw.one(sql, params)),
      };
      return work(Object.create(tx, { ledger: { value: createLedgerRepo(spy) } }) as Tx);
    }, options);
  const deps: StatementDeps = {
    uow: { run: open.uow.run, read: (work) => counting(work, { for: 'visitor' }) },
    long: { read: counting },
    clock,
    settings: { current: () => defaults },
    ledger,
  };
  return { deps, seen, give };
}
async function linesOf(texts: AsyncIterable<string>): Promise<string[]> {
  let all = '';
  for await (const text of texts) all += text;
  return all.trim().split('\r\n');
}

/** Asks for a part of a statement on a SQLite file. Out: how many postings the database looked at for it. */
async function postingsSeen(path: string, query: HistoryQuery): Promise<number> {
  const { database, session, gate, begin, end } = openConnection(path, 'reader');
  let seen = 0;
  database.function('seen', () => ((seen += 1) > 0 ? 1 : 0));
  const scope = newScope('read');
  begin.run();
  gate.scope = scope;
  await inScope(scope, () => createLedgerRepo({ ...session.raw, stopCondition: 'seen() = 1' }).history(ME, query));
  end.run();
  database.close();
  return seen;
}

describe.each(ENGINES)('a statement of very many lines on %s', (engine) => {
  test('T66 the CSV has every line once whatever is added meanwhile, and is read part by part, no faster than it is taken', async () => {
    const { deps, seen, give } = await longWallet(engine);
    const { body } = await statementCsv(deps, asked, {});
    const parts = body[Symbol.asyncIterator]();
    const begun = [(await parts.next()).value as string, (await parts.next()).value as string];
    expect(seen.statements).toBe(1);
    await give('meanwhile');
    const rest = await linesOf({ [Symbol.asyncIterator]: () => parts });
    const [head, ...lines] = [...begun.join('').trim().split('\r\n'), ...rest];
    expect(head).toStartWith('date,kind');
    expect(lines).toHaveLength(LINES);
    expect(lines.map((line) => Number(line.split(',')[4]))).toEqual(
      Array.from({ length: LINES }, (_, index) => LINES - index),
    );
    expect(seen.statements).toBe(LINES / PART);
  }, 300_000);

  test('T66 the deepest page asks no more than the first', async () => {
    const { deps, seen } = await longWallet(engine);
    const first = await statement(deps, asked, { per_page: 25 });
    const statements = seen.statements;
    const cursor = { createdMs: TEST_START, txId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', seq: 0 };
    seen.statements = 0;
    const deep = await statement(deps, asked, {
      per_page: 25,
      before: `${cursor.createdMs}.${cursor.txId}.${cursor.seq}`,
    });
    expect([deep.rows.length, deep.rows[0]?.balance_after]).toEqual([25, PART]);
    expect(seen.statements).toBe(statements);
    expect([first.paging.newer, deep.paging.newer, deep.paging.older].map((each) => each === null)).toEqual([
      true,
      false,
      false,
    ]);
  }, 300_000);
});

test('T66 no page, first or deep, forwards or back, reads more postings than the lines it shows and one', async () => {
  await longWallet('sqlite');
  const path = db && 'path' in db.where ? db.where.path : '';
  const deep = { createdMs: TEST_START, txId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', seq: 0 };
  for (const query of [
    {},
    { before: deep },
    { after: deep },
    { before: deep, fromMs: 1 },
    { after: deep, toMs: TEST_START * 2 },
  ]) {
    expect(await postingsSeen(path, { ...query, limit: 25 })).toBe(26);
  }
}, 300_000);
