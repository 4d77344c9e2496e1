import { describe, expect, test } from 'bun:test';
import { keptSince, type Account, type Ledger } from '#server/modules/ledger/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';
import { seeded, type Random } from '#tests/support/random.ts';
import { archiveWorld, codeOf, NEVER, stateOf, USERS, type ArchiveWorld } from './ledger-archive.world.ts';

/** Random moves of all kinds among three users, over time. */
async function play({ db, clock, ledger, reward }: ArchiveWorld, random: Random, moves: number): Promise<void> {
  const { pick } = random;
  const open: string[] = [];
  const done: string[] = [];
  for (let index = 0; index < moves; index += 1) {
    const userId = pick(USERS);
    const wallet = `user:${userId}` as const;
    const reference = `move:${index}:${random.int(1e9)}`;
    const amount = toCredits(1 + random.int(9));
    const transfer = (kind: string, postings: Parameters<Ledger['transfer']>[1]['postings']) => async (tx: Tx) => {
      done.push((await ledger.transfer(tx, { kind, reference, subject: pick(['', 'Ü 1', null]), postings })).id);
    };
    const other = pick(USERS.filter((name) => name !== userId));
    const works: ((tx: Tx) => Promise<unknown>)[] = [
      transfer('store.buy', [{ source: wallet, destination: 'system:store', amount }]),
      transfer('gift', [
        { source: wallet, destination: `user:${other}`, amount },
        { source: wallet, destination: 'system:gift.fee', amount: toCredits(1) },
      ]),
      transfer('import', [{ source: 'system:import', destination: wallet, amount }]),
      async (tx) => open.push((await ledger.hold(tx, { userId, amount, reference, kind: 'hold' })).holdId),
      async (tx) =>
        open.push(
          (await ledger.holdReward(tx, { userId, amount, reference, kind: 'held', source: 'system:reward.link' }))
            .holdId,
        ),
      async (tx) => open.length > 0 && ledger.release(tx, pick(open)),
      async (tx) =>
        open.length > 0 &&
        ledger.capture(tx, pick(open), { destination: 'system:store', kind: 'store.buy', reference }),
      async (tx) => done.length > 0 && ledger.reverse(tx, pick(done), { reason: 'mistake', actor: 'staff' }),
      (tx) =>
        ledger.chargeBack(tx, {
          userId,
          amount,
          destination: 'system:payment.stripe',
          kind: 'payment.dispute',
          reference,
        }),
    ];
    // Rewards by far the most, as in life; some of one moment, some a month apart.
    if (random.chance(0.6)) await reward(userId, amount, reference);
    else await codeOf(db, pick(works));
    clock.advance(pick([0, 0, HOUR, HOUR, DAY, 3 * DAY]));
  }
}

/**
 * Everything that may be asked of a ledger: statements whole and in pages of any direction and filter, balances then
 * and now.
 */
async function allThatIsShown({ db, clock, ledger }: ArchiveWorld, startMs: number): Promise<unknown> {
  const shown: unknown[] = [];
  const accounts = USERS.flatMap((id): Account[] => [`user:${id}`, `hold:${id}`, `debt:${id}`]);
  for (const account of accounts) {
    await db.uow.read(async (tx) => {
      const moments = Array.from(
        { length: 9 },
        (_, index) => startMs + Math.floor((index * (clock.now() - startMs)) / 8),
      );
      shown.push(await ledger.balance(tx, account), await ledger.balanceAt(tx, account, moments));
      const middle = { fromMs: moments[2], toMs: moments[6] };
      for (const filter of [{}, { kind: 'reward.afk' }, { kind: 'gift' }, { direction: 'out' as const }, middle]) {
        const whole = (await ledger.history(tx, account, { limit: 10_000, ...filter })).rows;
        shown.push(whole);
        // Pages forwards and back join to the same.
        const down = [];
        for (let before = undefined; ;) {
          const page: Awaited<ReturnType<Ledger['history']>> = await ledger.history(tx, account, {
            ...filter,
            limit: 7,
            before,
          });
          down.push(...page.rows);
          if (!page.more) break;
          before = page.rows.at(-1)?.cursor;
        }
        expect(down).toEqual(whole);
        const up = [];
        for (let after = whole.at(-1)?.cursor; after;) {
          const page: Awaited<ReturnType<Ledger['history']>> = await ledger.history(tx, account, {
            ...filter,
            limit: 7,
            after,
          });
          up.unshift(...page.rows);
          after = page.more ? page.rows[0]?.cursor : undefined;
        }
        expect(up).toEqual(whole.slice(0, -1));
      }
    });
  }
  return shown;
}

describe.each(ENGINES)('the archive of the ledger on %s', (kind) => {
  test.each([1, 2, 3])(
    'a statement, its pages, filters and balances are the same before and after archiving (seed %d)',
    async (seed) => {
      const all = await archiveWorld(kind);
      const { db, clock, archive } = all;
      const random = seeded(seed);
      const startMs = clock.now();
      let archived = 0;
      for (let round = 0; round < 3; round += 1) {
        await play(all, random, 150);
        const before = await allThatIsShown(all, startMs);
        const references = await db.sql<{ reference: string }>('SELECT reference FROM ledger_transactions');
        const known = await db.uow.read((tx) =>
          Promise.all(references.map(({ reference }) => tx.ledger.byReference(reference))),
        );
        archived += await archive.run(NEVER, HOUR);
        expect(await allThatIsShown(all, startMs)).toEqual(before);
        for (const [index, { reference }] of references.entries()) {
          expect(await db.uow.read((tx) => tx.ledger.byReference(reference))).toEqual(known[index] ?? null);
        }
        await proveLedger(db.uow);
      }
      const { transactions } = await stateOf(db);
      expect(transactions).toBe(archived);
      expect(archived).toBeGreaterThan(100);
      // What is younger than the setting is in the tables, and what may go and is older is not.
      const sinceMs = keptSince(clock.now(), 90);
      const left = await db.sql<{ kind: string; n: number }>(
        `SELECT kind, COUNT(*) AS n FROM ledger_transactions t WHERE created_ms < ? AND reverses IS NULL
         AND NOT EXISTS (SELECT 1 FROM ledger_transactions r WHERE r.reverses = t.id) GROUP BY kind ORDER BY kind`,
        [sinceMs],
      );
      expect(left.map(({ kind: name }) => name).filter((name) => name !== 'gift' && name !== 'import')).toEqual([]);
      const newest = await db.sql<{ ms: number }>('SELECT MAX(last_ms) AS ms FROM ledger_blocks');
      expect(newest[0]?.ms).toBeLessThan(sinceMs);
      await db.close();
    },
    120_000,
  );

  test('a statement over many blocks, with gifts between them, is read in pages of either direction', async () => {
    const all = await archiveWorld(kind);
    const { db, clock, archive, ledger, reward } = all;
    const startMs = clock.now();
    for (let index = 0; index < 420; index += 1) {
      await reward('ann', 1 + (index % 5));
      clock.advance(index % 3 === 0 ? 0 : HOUR);
      if (index % 40 !== 7) continue;
      const postings = [{ source: 'user:ann', destination: 'user:bob', amount: toCredits(2) }] as const;
      await db.uow.run((tx) => ledger.transfer(tx, { kind: 'gift', reference: `gift:${index}`, postings }));
    }
    clock.advance(200 * DAY);
    const before = await allThatIsShown(all, startMs);
    expect(await archive.run(NEVER, HOUR)).toBe(420);
    expect(await db.sql('SELECT id FROM ledger_blocks')).toHaveLength(4);
    expect(await allThatIsShown(all, startMs)).toEqual(before);
    await proveLedger(db.uow);
    await db.close();
  }, 120_000);

  test('a reference is refused for ever, also once its transaction is archived, and nothing moves', async () => {
    const { db, clock, archive, ledger, reward } = await archiveWorld(kind);
    await reward('ann', 5, 'once');
    clock.advance(200 * DAY);
    expect(await archive.run(NEVER, HOUR)).toBe(1);
    expect(await db.sql('SELECT id FROM ledger_transactions')).toEqual([]);
    expect(
      await codeOf(db, (tx) => ledger.hold(tx, { userId: 'ann', amount: 2, reference: 'once', kind: 'hold' })),
    ).toBe('DUPLICATE_REFERENCE');
    const postings = [{ source: 'system:adjustment', destination: 'user:bob', amount: toCredits(3) }] as const;
    expect(await codeOf(db, (tx) => ledger.transfer(tx, { kind: 'adjustment', reference: 'once', postings }))).toBe(
      'DUPLICATE_REFERENCE',
    );
    expect(
      await db.uow.read((tx) => Promise.all([ledger.balance(tx, 'user:ann'), ledger.balance(tx, 'user:bob')])),
    ).toEqual([5, 0]);
    expect(await db.uow.read((tx) => tx.ledger.byReference('once'))).toMatchObject({
      kind: 'reward.afk',
      postings: [{ amount: 5, destination: 'user:ann' }],
    });
    expect(await db.uow.read((tx) => tx.ledger.byReference('never'))).toBeNull();
    await proveLedger(db.uow);
    await db.close();
  });

  test('a reference that is sent again while its transaction is being archived is refused as well', async () => {
    const { db, clock, ledger, reward } = await archiveWorld(kind);
    await reward('ann', 5, 'once');
    clock.advance(1);
    const [moved, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const archiving = db.uow.run(async (tx) => {
      expect(await tx.ledgerArchive.archive('ann', clock.now())).toEqual({ moved: 1, more: false });
      moved.resolve();
      await commit.promise;
    });
    await moved.promise;
    const postings = [{ source: 'system:reward.afk', destination: 'user:ann', amount: toCredits(5) }] as const;
    const again = codeOf(db, (tx) => ledger.transfer(tx, { kind: 'reward.afk', reference: 'once', postings }));
    // One waits for the other: on SQLite for the writer, on PostgreSQL for the row of the wallet.
    const isWaiting = async () =>
      (await db.sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
        .length > 0;
    if (kind === 'postgres') while (!(await isWaiting()));
    commit.resolve();
    await archiving;
    expect(await again).toBe('DUPLICATE_REFERENCE');
    expect(await db.uow.read((tx) => ledger.balance(tx, 'user:ann'))).toBe(5);
    await proveLedger(db.uow);
    await db.close();
  });

  test('a reversal and what it reverses stay, and an archived transaction is not reversed by its id', async () => {
    const { db, clock, archive, ledger, reward } = await archiveWorld(kind);
    const plain = await reward('ann');
    const taken = await reward('ann');
    await db.uow.run((tx) => ledger.reverse(tx, taken, { reason: 'mistake' }));
    clock.advance(200 * DAY);
    expect(await archive.run(NEVER, HOUR)).toBe(1);
    expect(await codeOf(db, (tx) => ledger.reverse(tx, plain, { reason: 'x' }))).toBe('NOT_FOUND');
    expect(await codeOf(db, (tx) => ledger.reverse(tx, taken, { reason: 'x' }))).toBe('ALREADY_REVERSED');
    const { rows } = await db.uow.read((tx) => ledger.history(tx, 'user:ann', { limit: 9 }));
    expect(rows.map(({ kind: name, undoes }) => [name, undoes?.kind])).toEqual([
      ['reversal', 'reward.afk'],
      ['reward.afk', undefined],
      ['reward.afk', undefined],
    ]);
    await proveLedger(db.uow);
    await db.close();
  });
});
