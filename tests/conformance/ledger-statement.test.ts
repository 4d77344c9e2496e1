import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createLedger, type Ledger } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { totalsOf } from '#tests/support/coins.ts';
import { ENGINES, openTestDb, proveLedger, type TestDb } from '#tests/support/db.ts';

/** Ten rewards of 5, a purchase of 12, a refund, a hold: one an hour. */
describe.each(ENGINES)('statement and figures on %s', (kind) => {
  let db: TestDb;
  let ledger: Ledger;
  const me = 'user:me' as const;
  let totals: Awaited<ReturnType<typeof totalsOf>>;
  beforeAll(async () => {
    db = await openTestDb(kind);
    const clock = fakeClock();
    ledger = createLedger({ clock, ids: testIds() });
    for (let index = 0; index < 10; index += 1) {
      await db.uow.run((tx) =>
        ledger.transfer(tx, {
          kind: 'reward.afk',
          reference: `afk:${index}`,
          postings: [{ source: 'system:reward.afk', destination: me, amount: toCredits(5) }],
        }),
      );
      clock.advance(HOUR);
    }
    const bought = await db.uow.run((tx) =>
      ledger.transfer(tx, {
        kind: 'store.buy',
        reference: 'store:1',
        subject: 'memory',
        postings: [{ source: me, destination: 'system:store', amount: toCredits(12) }],
      }),
    );
    clock.advance(HOUR);
    await db.uow.run((tx) => ledger.reverse(tx, bought.id, { reason: 'refund' }));
    clock.advance(HOUR);
    await db.uow.run((tx) =>
      ledger.hold(tx, { userId: 'me', amount: 20, reference: 'hold:1', kind: 'server.create', subject: 'Lobby' }),
    );
    await db.uow.run((tx) =>
      ledger.transfer(tx, {
        kind: 'adjustment',
        reference: 'other',
        postings: [{ source: 'system:adjustment', destination: 'user:other', amount: toCredits(1000) }],
      }),
    );
    totals = await totalsOf(db.uow);
  });
  afterAll(async () => {
    await proveLedger(db.uow);
    await db.close();
  });

  const history = (query: Partial<Parameters<Ledger['history']>[2]> = {}) =>
    db.uow.read((tx) => ledger.history(tx, me, { limit: 100, ...query }));

  test('the statement is newest first, with balance and counterpart as the account sees them', async () => {
    const { rows, more } = await history();
    expect([rows.length, more]).toEqual([13, false]);
    expect(rows.map(({ amount }) => amount)).toEqual([-20, 12, -12, ...Array<number>(10).fill(5)]);
    expect(rows.map(({ balanceAfter }) => balanceAfter)).toEqual([30, 50, 38, 50, 45, 40, 35, 30, 25, 20, 15, 10, 5]);
    expect(rows[0]).toMatchObject({
      kind: 'server.create',
      subject: 'Lobby',
      counterpart: 'hold:me',
      createdMs: TEST_START + 12 * HOUR,
    });
    expect(rows[2]).toMatchObject({
      kind: 'store.buy',
      reference: 'store:1',
      subject: 'memory',
      counterpart: 'system:store',
    });
  });

  test('pages join without gap or repetition, forwards and back, also within one filter', async () => {
    for (const filter of [
      {},
      { direction: 'in' as const },
      { kind: 'reward.afk' },
      { fromMs: TEST_START + 2 * HOUR, toMs: TEST_START + 11 * HOUR },
    ]) {
      const whole = (await history(filter)).rows;
      const forwards = [];
      for (
        let page = await history({ ...filter, limit: 3 });
        ;
        page = await history({ ...filter, limit: 3, before: page.rows.at(-1)?.cursor })
      ) {
        forwards.push(...page.rows);
        if (!page.more) break;
      }
      expect(forwards).toEqual(whole);
      const back = [];
      for (
        let page = await history({ ...filter, limit: 3, after: whole.at(-1)?.cursor });
        ;
        page = await history({ ...filter, limit: 3, after: page.rows[0]?.cursor })
      ) {
        back.unshift(...page.rows);
        if (!page.more) break;
      }
      expect(back).toEqual(whole.slice(0, -1));
    }
  });

  test('a cursor beyond the bounds of the filter counts as the bound', async () => {
    const span = { fromMs: TEST_START + 2 * HOUR, toMs: TEST_START + 4 * HOUR };
    const inside = (await history(span)).rows;
    const [newest, oldest] = [(await history()).rows[0]?.cursor, (await history()).rows.at(-1)?.cursor];
    expect((await history({ ...span, before: newest })).rows).toEqual(inside);
    expect((await history({ ...span, after: oldest })).rows).toEqual(inside);
    expect((await history({ ...span, before: oldest })).rows).toEqual([]);
  });

  test('the statement filters by kind, direction and time', async () => {
    expect((await history({ kind: 'reward.afk' })).rows).toHaveLength(10);
    expect((await history({ direction: 'out' })).rows.map(({ amount }) => amount)).toEqual([-20, -12]);
    expect((await history({ direction: 'in', kind: 'reversal' })).rows.map(({ amount }) => amount)).toEqual([12]);
    const span = await history({ fromMs: TEST_START + HOUR, toMs: TEST_START + 2 * HOUR });
    expect(span.rows).toHaveLength(2);
  });

  test('the figures give balance at moments, earned since, and totals', async () => {
    const at = (moments: number[]) => db.uow.read((tx) => ledger.balanceAt(tx, me, moments));
    const hour = (n: number) => TEST_START + n * HOUR;
    expect(await at([])).toEqual([]);
    expect(await at([hour(0) - 1])).toEqual([0]);
    expect(
      await at([hour(0) - 1, hour(0), hour(1) - MINUTE, hour(9), hour(10), hour(11), hour(12), hour(12) + DAY]),
    ).toEqual([0, 5, 5, 50, 38, 50, 30, 30]);
    expect(await db.uow.read((tx) => ledger.earnedSince(tx, me, hour(4)))).toBe(30);
    expect(totals).toEqual({ circulation: 1050, minted: 1062, burnt: 12 });
  });

  test('a reward counts as earned when it is approved, not while it waits', async () => {
    const [userId, reward] = ['waiting', { kind: 'reward.held', source: 'system:reward.link' }] as const;
    const earned = () => db.uow.read((tx) => ledger.earnedSince(tx, `user:${userId}`, 0));
    const { holdId } = await db.uow.run((tx) =>
      ledger.holdReward(tx, { userId, amount: 7, reference: 'held:1', ...reward }),
    );
    const own = await db.uow.run(async (tx) => {
      await ledger.transfer(tx, {
        kind: 'adjustment',
        reference: 'waiting',
        postings: [{ source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(3) }],
      });
      return ledger.hold(tx, { userId, amount: 3, reference: 'hold:2', kind: 'server.create' });
    });
    await db.uow.run((tx) => ledger.release(tx, own.holdId));
    expect(await earned()).toBe(0);
    await db.uow.run((tx) => ledger.releaseReward(tx, holdId, { kind: 'reward.released', reference: 'released:1' }));
    expect(await earned()).toBe(7);
  });

  test('an account that never moved is empty', async () => {
    const nobody = 'user:nobody' as const;
    expect(await db.uow.read((tx) => ledger.balance(tx, nobody))).toBe(0);
    expect(await db.uow.read((tx) => ledger.history(tx, nobody, { limit: 5 }))).toEqual({ rows: [], more: false });
    expect(await db.uow.read((tx) => ledger.balanceAt(tx, nobody, [1, 2]))).toEqual([0, 0]);
    expect(await db.uow.read((tx) => ledger.earnedSince(tx, nobody, 0))).toBe(0);
  });
});
