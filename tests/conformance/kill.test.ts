import { describe, expect, test } from 'bun:test';
import { createRunner } from '#server/jobs/runner.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY } from '#shared/time.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, proveLedger, type TestDb } from '#tests/support/db.ts';

const CHILD = new URL('../support/kill-child.ts', import.meta.url).pathname;

/** Starts a process that moves credits, kills it without warning after some commits. Out: what it said it had committed. */
async function runAndKill(db: TestDb, run: string, commits: number, besides = ''): Promise<string[]> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(db.where), run, besides], {
    stdout: 'pipe',
    stderr: 'inherit',
    stdin: 'ignore',
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n').length > commits) child.kill('SIGKILL');
  }
  await child.exited;
  return text.split('\n').slice(0, -1);
}

describe.each(ENGINES)('killed while it writes, on %s', (kind) => {
  test('T10 an answered command is there, nothing is half done, and the queue goes on', async () => {
    const db = await openTestDb(kind);
    for (const [index, commits] of [1, 30, 100].entries()) {
      const said = await runAndKill(db, `run${index}`, commits);
      expect(said.length).toBeGreaterThanOrEqual(commits);
      await proveLedger(db.uow);
      const stored = await db.sql<{ reference: string }>(
        "SELECT reference FROM ledger_transactions WHERE kind = 'kill'",
      );
      const known = new Set(stored.map(({ reference }) => reference));
      expect(said.filter((reference) => !known.has(reference))).toEqual([]);
    }
    // Each transfer has its job, each hold its transfer: they were one transaction.
    const [whole] = await db.sql<{ transfers: number; holds: number; jobs: number }>(
      `SELECT (SELECT COUNT(*) FROM ledger_transactions WHERE kind = 'kill' AND reference NOT LIKE '%:hold' AND reference NOT LIKE '%:capture') AS transfers,
         (SELECT COUNT(*) FROM ledger_holds) AS holds, (SELECT COUNT(*) FROM jobs) AS jobs`,
    );
    expect(whole?.holds).toBe(whole?.transfers ?? -1);
    expect(whole?.jobs).toBe(whole?.transfers ?? -1);
    // Each transfer gave two credits in a small part: those that are posted and those that are not are all of them.
    const parts = await db.uow.read(async (tx) => {
      const balances = [1, 2, 3, 4].map((worker) => tx.ledger.balance(`user:parts${worker}`));
      return (await Promise.all(balances)).reduce((sum, balance) => sum + balance, 0);
    });
    expect(parts).toBe(2 * (whole?.transfers ?? -1));
    await finishJobs(db);
    const paid = await db.uow.read((tx) => tx.ledger.balance('user:jobs'));
    expect(paid).toBe(whole?.jobs ?? -1);
    await proveLedger(db.uow);
    await db.close();
  }, 300_000);

  test('T10 a process that is killed while it archives has lost no transaction and doubled none', async () => {
    const db = await openTestDb(kind);
    const ledger = createLedger({ clock: fakeClock(), ids: testIds() });
    for (const [index, commits] of [20, 60, 120].entries()) {
      const said = await runAndKill(db, `run${index}`, commits, 'archive');
      await proveLedger(db.uow);
      for (const reference of said) {
        const found = await db.uow.read((tx) => tx.ledger.byReference(reference));
        expect([reference, found?.postings[0]?.amount]).toEqual([reference, toCredits(5)]);
      }
      const postings = [{ source: 'system:adjustment', destination: 'user:1', amount: toCredits(1) }] as const;
      const [reference = ''] = said;
      await expect(
        db.uow.run((tx) => ledger.transfer(tx, { kind: 'again', reference, postings })),
      ).rejects.toMatchObject({ code: 'DUPLICATE_REFERENCE' });
    }
    const { transactions } = await db.uow.read((tx) => tx.ledgerArchive.state());
    expect(transactions).toBeGreaterThan(100);
    // Every line of the statement follows from the one before, through the archive and the tables.
    const { rows } = await db.uow.read((tx) => ledger.history(tx, 'user:1', { limit: 10_000 }));
    expect(rows.length).toBeGreaterThan(50);
    let balance = 0;
    for (const { amount, balanceAfter } of rows.toReversed()) expect((balance += amount)).toBe(balanceAfter);
    await db.close();
  }, 300_000);
});

/** Runs what the killed processes left, when their leases are over. */
async function finishJobs(db: TestDb): Promise<void> {
  const clock = fakeClock(Date.now() + DAY);
  const ids = testIds();
  const ledger = createLedger({ clock, ids });
  const { runDue } = createRunner({
    uow: db.uow,
    clock,
    ids,
    bus: db.bus,
    log: db.log,
    random: () => 0.5,
    handlers: {
      pay: {
        leaseMs: 60_000,
        async handle(payload) {
          const { reference } = payload as { reference: string };
          await db.uow.run(async (tx) => {
            if (await tx.ledger.byReference(reference)) return;
            await ledger.transfer(tx, {
              kind: 'job',
              reference,
              postings: [{ source: 'system:adjustment', destination: 'user:jobs', amount: toCredits(1) }],
            });
          });
        },
      },
    },
  });
  await runDue();
  expect(await db.uow.read((tx) => tx.jobs.counts())).toEqual({ ready: 0, dead: 0 });
}
