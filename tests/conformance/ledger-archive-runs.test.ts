import { describe, expect, test } from 'bun:test';
import { keptSince } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';
import { archiveWorld, NEVER, stateOf, USERS } from './ledger-archive.world.ts';

describe.each(ENGINES)('the archive of the ledger on %s', (kind) => {
  test('many archives at once, beside users who earn and pay, move each transaction once', async () => {
    const { db, clock, archive, ledger, reward } = await archiveWorld(kind);
    for (let index = 0; index < 300; index += 1) await reward(USERS[index % 3] ?? '');
    clock.advance(200 * DAY);
    const buy = (index: number) =>
      db.uow.run((tx) =>
        ledger.transfer(tx, {
          kind: 'store.buy',
          reference: `buy:${index}`,
          postings: [{ source: 'user:ann', destination: 'system:store', amount: toCredits(3) }],
        }),
      );
    const [moved] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => archive.run(NEVER, HOUR))),
      Promise.all(Array.from({ length: 40 }, (_, index) => buy(index))),
      Promise.all(Array.from({ length: 40 }, () => reward('bob'))),
    ]);
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(await stateOf(db)).toMatchObject({ transactions: 300, blocks: 3 });
    expect(await db.uow.read((tx) => Promise.all(USERS.map((id) => ledger.balance(tx, `user:${id}`))))).toEqual([
      380, 700, 500,
    ]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('a transaction that fails after its slice leaves everything as it was', async () => {
    const { db, clock, reward } = await archiveWorld(kind);
    for (let index = 0; index < 10; index += 1) await reward('ann');
    clock.advance(200 * DAY);
    const failing = db.uow.run(async (tx) => {
      expect(await tx.ledgerArchive.archive('ann', clock.now())).toEqual({ moved: 10, more: false });
      throw new Error('the process is gone');
    });
    await failing.then(
      () => expect.unreachable(),
      (error: unknown) => expect(String(error)).toContain('the process is gone'),
    );
    expect(await db.sql('SELECT id FROM ledger_transactions')).toHaveLength(10);
    expect(await db.sql('SELECT id FROM ledger_blocks')).toEqual([]);
    expect(await stateOf(db)).toMatchObject({ transactions: 0, blocks: 0 });
    await proveLedger(db.uow);
    await db.close();
  });

  test('a run ends with its time or where it is given up, and the next one goes on from there', async () => {
    const { db, clock, archive, reward, facts } = await archiveWorld(kind);
    for (let index = 0; index < 300; index += 1) await reward('ann', 1);
    clock.advance(200 * DAY);
    facts.days = 0;
    expect(await archive.run(NEVER, HOUR)).toBe(0);
    facts.days = 400;
    expect(await archive.run(NEVER, HOUR)).toBe(0);
    // Fewer days than the product itself looks back are not taken at their word.
    facts.days = 1;
    expect(keptSince(clock.now(), 1)).toBe(keptSince(clock.now(), 90));
    expect(await archive.run(AbortSignal.abort(), HOUR)).toBe(0);
    expect(await archive.run(NEVER, 0)).toBe(0);
    expect(await stateOf(db)).toMatchObject({ doneMs: keptSince(clock.now(), 400), blocks: 0 });
    facts.rests = 0;
    expect(await archive.run(NEVER, HOUR)).toBe(300);
    // Before the look at the wallets, behind each slice but the last (24 transactions, or what a block has room for),
    // and behind the users who were looked at together.
    expect(facts.rests).toBe(15);
    expect(await stateOf(db)).toMatchObject({
      doneMs: keptSince(clock.now(), 90),
      after: '',
      blocks: 3,
      transactions: 300,
    });
    // What is done is not gone through again.
    facts.rests = 0;
    expect([await archive.run(NEVER, HOUR), facts.rests]).toEqual([0, 0]);
    await db.close();
  });

  test('a pass goes through every wallet, however often its runs are cut short, and the next one takes the next month', async () => {
    const { db, clock, archive, reward, facts } = await archiveWorld(kind);
    for (let index = 0; index < 230; index += 1) await reward(`user${index}`, 2);
    clock.advance(100 * DAY);
    await reward('user7', 3);
    clock.advance(30 * DAY);
    facts.stepMs = 1;
    const runs: number[] = [];
    const seen: string[] = [];
    while ((await stateOf(db)).doneMs === 0) {
      // Longer than a hundred wallets take, and shorter than all of them.
      runs.push(await archive.run(NEVER, 20));
      const { after, passMs } = await stateOf(db);
      seen.push(after);
      expect(passMs).toBe(keptSince(TEST_START + 130 * DAY, 90));
      // A month that has become old meanwhile waits for the next pass.
      clock.set(TEST_START + 225 * DAY);
    }
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.reduce((sum, count) => sum + count, 0)).toBe(230);
    expect(seen.at(-1)).toBe('');
    expect(seen.slice(0, -1).every((after) => after.startsWith('user:user'))).toBe(true);
    facts.stepMs = 0;
    expect(await archive.run(NEVER, HOUR)).toBe(1);
    expect(await stateOf(db)).toMatchObject({ doneMs: keptSince(clock.now(), 90), transactions: 231, blocks: 230 });
    await proveLedger(db.uow);
    await db.close();
  }, 60_000);
});
