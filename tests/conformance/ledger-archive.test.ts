import { describe, expect, test } from 'bun:test';
import { packBlock, sealOf, unpackBlock, type BlockRow } from '#server/data/repos/ledger-blocks.ts';
import {
  createLedger,
  createLedgerArchive,
  keptSince,
  type Account,
  type Ledger,
} from '#server/modules/ledger/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, proveLedger, type Engine, type TestDb } from '#tests/support/db.ts';
import { seeded, type Random } from '#tests/support/random.ts';

const USERS = ['ann', 'bob', 'cyd'];
const NEVER = new AbortController().signal;

/** A ledger over a fresh database, with its archive and a clock that the test moves. */
async function world(kind: Engine) {
  const db = await openTestDb(kind);
  const clock = fakeClock();
  const ids = testIds();
  const ledger = createLedger({ clock, ids });
  /** `stepMs`: how long each step takes by the clock. `rests`: how often others had their turn. */
  const facts = { days: 90, stepMs: 0, rests: 0 };
  const rest = () => {
    facts.rests += 1;
    clock.advance(facts.stepMs);
    return Promise.resolve();
  };
  const archive = createLedgerArchive({ uow: db.uow, clock, days: () => facts.days, rest });
  let count = 0;
  return {
    db,
    clock,
    ledger,
    archive,
    facts,
    /** Credits to a user, under a reference of its own. Out: the transaction's id. */
    async reward(userId: string, amount = 5, reference = `reward:${(count += 1)}`): Promise<string> {
      const postings = [
        { source: 'system:reward.afk', destination: `user:${userId}`, amount: toCredits(amount) },
      ] as const;
      const facts = { kind: 'reward.afk', reference, subject: 'minutes', actor: userId, postings };
      return (await db.uow.run((tx) => ledger.transfer(tx, facts))).id;
    },
  };
}
type World = Awaited<ReturnType<typeof world>>;

const stateOf = (db: TestDb) => db.uow.read((tx) => tx.ledgerArchive.state());

/** The error code a command ends with. */
async function codeOf(db: TestDb, work: (tx: Tx) => Promise<unknown>): Promise<string> {
  try {
    await db.uow.run(work);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'none';
}

/** Random moves of all kinds among three users, over time. */
async function play({ db, clock, ledger, reward }: World, random: Random, moves: number): Promise<void> {
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
async function allThatIsShown({ db, clock, ledger }: World, startMs: number): Promise<unknown> {
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
      const all = await world(kind);
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
    const all = await world(kind);
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
    const { db, clock, archive, ledger, reward } = await world(kind);
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
    const { db, clock, ledger, reward } = await world(kind);
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
    const { db, clock, archive, ledger, reward } = await world(kind);
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

  test('many archives at once, beside users who earn and pay, move each transaction once', async () => {
    const { db, clock, archive, ledger, reward } = await world(kind);
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
    const { db, clock, reward } = await world(kind);
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
    const { db, clock, archive, reward, facts } = await world(kind);
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
    // Before the look at the wallets, and behind each slice of 64; the last one of 44 is no reason.
    expect(facts.rests).toBe(5);
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
    const { db, clock, archive, reward, facts } = await world(kind);
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

  test('the newest block of a user grows until it is full, and is sealed behind the one before', async () => {
    const { db, clock, archive, reward } = await world(kind);
    for (let month = 0; month < 8; month += 1) {
      for (let index = 0; index < 40; index += 1) await reward('ann', 1);
      clock.advance(31 * DAY);
      await archive.run(NEVER, HOUR);
    }
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    const blocks = await db.sql<BlockRow>('SELECT * FROM ledger_blocks ORDER BY number');
    expect(
      blocks.map(({ id, number, transactions, credits, balance }) => [id, number, transactions, credits, balance]),
    ).toEqual([
      [1, 1, 128, 128, 128],
      [2, 2, 128, 128, 256],
      [3, 3, 64, 64, 320],
    ]);
    expect(blocks.map((block, index) => block.hash === sealOf(block, blocks[index - 1]?.hash ?? ''))).toEqual([
      true,
      true,
      true,
    ]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('the proof finds what was altered in the archive, and a block that was altered does not grow', async () => {
    const { db, clock, archive, reward } = await world(kind);
    for (let index = 0; index < 200; index += 1) await reward('ann', 2);
    await reward('bob', 2);
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    const [first] = await db.sql<BlockRow>("SELECT * FROM ledger_blocks WHERE user_id = 'ann' ORDER BY number");
    if (!first) return expect.unreachable();
    const faults = () =>
      db.uow.read(async (tx) => (await tx.ledger.verify()).map(({ proof, account, id }) => [proof, account, id]));
    const content = unpackBlock(first.detail);
    const detail = packBlock(
      content.map((each, index) =>
        index === 5 ? { ...each, postings: each.postings.map((posting) => ({ ...posting, amount: 3 })) } : each,
      ),
    );
    const put = (block: BlockRow) =>
      db.sql('UPDATE ledger_blocks SET detail = ?, credits = ?, balance = ?, hash = ? WHERE id = ?', [
        block.detail,
        block.credits,
        block.balance,
        block.hash,
        block.id,
      ]);
    const ofAnn = ['archive', 'user:ann', '1'];
    // The amount of one posting: neither the seal nor the sums hold.
    await put({ ...first, detail });
    expect(await faults()).toEqual([
      ofAnn,
      ofAnn,
      ['archive', 'user:ann', null],
      ['archive', 'system:reward.afk', null],
    ]);
    // Sealed anew by somebody who knows how: the block behind it does not follow any more.
    const forged = { ...first, detail, credits: first.credits + 1, balance: first.balance + 1 };
    await put({ ...forged, hash: sealOf(forged, '') });
    expect((await faults()).map(([proof, account, id]) => `${proof} ${account} ${id}`)).toContain('archive user:ann 2');
    // What nobody can read.
    await put({ ...first, detail: 'AAAA' });
    const texts = await db.uow.read(async (tx) => (await tx.ledger.verify('archive')).map(({ text }) => text));
    expect(texts).toContain('block 1 of user:ann cannot be read');
    // Other words: the reason of a transaction.
    await put({ ...first, detail: packBlock(content.map((each) => ({ ...each, reason: 'a gift' }))) });
    expect(await faults()).toEqual([ofAnn]);
    await put(first);
    await proveLedger(db.uow);
    await db.sql('UPDATE ledger_blocks SET credits = 1 WHERE id = 1');
    expect(await db.uow.read((tx) => tx.ledger.verify('archive'))).toContainEqual({
      proof: 'archive',
      account: 'user:ann',
      id: '1',
      stored: 1,
      expected: first.credits,
      text: `block 1 of user:ann says 1 but its postings make ${first.credits}`,
    });
    await db.sql('UPDATE ledger_blocks SET credits = ? WHERE id = 1', [first.credits]);
    // Figures beside the content.
    for (const [column, value] of [
      ['credits', 1],
      ['balance', 1],
      ['transactions', 1],
      ['last_ms', 1],
      ['number', 3],
    ] as const) {
      await db.sql(`UPDATE ledger_blocks SET ${column} = ? WHERE id = 1`, [value]);
      expect([column, (await faults()).length > 0]).toEqual([column, true]);
      await db.sql(`UPDATE ledger_blocks SET ${column} = ? WHERE id = 1`, [first[column]]);
    }
    await proveLedger(db.uow);
    // A reference that could be used again, and a sum.
    const [kept] = await db.sql<{ key: string; block: number }>(
      'SELECT key, block FROM ledger_archived_references LIMIT 1',
    );
    await db.sql('DELETE FROM ledger_archived_references WHERE key = ?', [kept?.key ?? '']);
    expect((await faults()).map(([proof]) => proof)).toEqual(['archive', 'archive']);
    await db.sql('INSERT INTO ledger_archived_references (key, block) VALUES (?, ?)', [
      kept?.key ?? '',
      kept?.block ?? 0,
    ]);
    await db.sql("UPDATE ledger_archived_sums SET credits = credits + 1 WHERE account = 'user:bob'");
    expect(await faults()).toEqual([
      ['postings', 'user:bob', null],
      ['archive', 'user:bob', null],
    ]);
    await db.sql("UPDATE ledger_archived_sums SET credits = credits - 1 WHERE account = 'user:bob'");
    // Bob's block is altered, and would have grown.
    await db.sql("UPDATE ledger_blocks SET credits = 9 WHERE user_id = 'bob'");
    await reward('bob', 2);
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR).then(
      () => expect.unreachable(),
      (error: unknown) => expect(String(error)).toContain('was altered'),
    );
    await db.close();
  });

  test('a block of what was only ever reserved is proven like the others', async () => {
    const { db, clock, ledger } = await world(kind);
    const facts = { userId: 'dan', amount: 5, kind: 'held', source: 'system:reward.link' } as const;
    const { holdId } = await db.uow.run((tx) => ledger.holdReward(tx, { ...facts, reference: 'held' }));
    await db.uow.run((tx) =>
      ledger.capture(tx, holdId, { destination: 'system:reward.link', kind: 'reward.rejected', reference: 'rejected' }),
    );
    clock.advance(1);
    expect(await db.uow.run((tx) => tx.ledgerArchive.archive('dan', clock.now()))).toEqual({ moved: 2, more: false });
    const blocks = await db.sql('SELECT transactions, credits, balance FROM ledger_blocks');
    expect(blocks).toEqual([{ transactions: 2, credits: 0, balance: 0 }]);
    const { rows } = await db.uow.read((tx) => ledger.history(tx, 'hold:dan', { limit: 5 }));
    expect(rows.map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([
      [-5, 0],
      [5, 5],
    ]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('the tables give up no row but to the archive', async () => {
    const { db, reward } = await world(kind);
    await reward('ann');
    for (const table of ['ledger_postings', 'ledger_transactions'])
      for (const statement of [`DELETE FROM ${table}`, `UPDATE ${table} SET kind = 'other'`])
        expect([
          statement,
          await db.sql(statement).then(
            () => 'done',
            () => 'refused',
          ),
        ]).toEqual([statement, 'refused']);
    await db.close();
  });
});
