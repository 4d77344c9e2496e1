import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { SHARDS } from '#server/data/shards.ts';
import { createLedger, type Account, type Ledger } from '#server/modules/ledger/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { toCredits, MAX_CREDITS } from '#shared/credits.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES, openTestDb, proveLedger, type TestDb } from '#tests/support/db.ts';
import { endings, refusal } from '#tests/support/endings.ts';

// Shows behaviour 2.

describe.each(ENGINES)('ledger on %s', (kind) => {
  let db: TestDb;
  let ledger: Ledger;
  const clock = fakeClock();
  beforeAll(async () => {
    db = await openTestDb(kind);
    ledger = createLedger({ clock, ids: testIds() });
  });
  afterEach(() => proveLedger(db.uow));
  afterAll(() => db.close());

  let count = 0;
  /** A user of this test alone, with some credits. */
  async function userWith(amount: number): Promise<string> {
    count += 1;
    const id = `u${count}`;
    if (amount > 0) await db.uow.run((tx) => give(tx, id, amount));
    return id;
  }
  const give = (tx: Tx, userId: string, amount: number, reference = `gift:${userId}:${(count += 1)}`) =>
    ledger.transfer(tx, {
      kind: 'adjustment',
      reference,
      postings: [{ source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(amount) }],
    });
  const spend = (tx: Tx, userId: string, amount: number, reference = `buy:${userId}:${(count += 1)}`) =>
    ledger.transfer(tx, {
      kind: 'store.buy',
      reference,
      subject: 'memory',
      postings: [{ source: `user:${userId}`, destination: 'system:store', amount: toCredits(amount) }],
    });
  const balance = (account: Account) => db.uow.read((tx) => ledger.balance(tx, account));
  const code = (work: (tx: Tx) => Promise<unknown>): Promise<ErrorCode | 'accepted'> => refusal(db.uow.run(work));

  test('a transfer moves credits, answers with the balances and notifies the user after the commit', async () => {
    const id = await userWith(0);
    const heard: string[] = [];
    const stop = db.bus.subscribe(`user:${id}`, (topic) => heard.push(topic));
    const { balances } = await db.uow.run((tx) => give(tx, id, 40));
    expect(balances.get(`user:${id}`)).toBe(40);
    expect(heard).toEqual([`user:${id}`]);
    expect((await db.uow.run((tx) => spend(tx, id, 15))).balances.get(`user:${id}`)).toBe(25);
    stop();
    expect(await balance(`user:${id}`)).toBe(25);
  });

  test('T1 fifty purchases at once with credits for one let one go through', async () => {
    const id = await userWith(100);
    const { accepted, refused } = await endings(
      Array.from({ length: 50 }, () => db.uow.run((tx) => spend(tx, id, 100))),
    );
    expect(accepted).toBe(1);
    expect(refused).toEqual({ INSUFFICIENT_CREDITS: 49 });
    expect(await balance(`user:${id}`)).toBe(0);
  });

  test('T1 fifty transfers at once between few wallets lose and make nothing', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => userWith(20)));
    await endings(
      Array.from({ length: 50 }, (_, index) => {
        const [from = '', to = ''] = [users[index % 5], users[(index * 3 + 1) % 5]];
        if (from === to) return db.uow.run((tx) => spend(tx, from, 1));
        const postings = [
          { source: `user:${from}` as const, destination: `user:${to}` as const, amount: toCredits(7) },
        ];
        return db.uow.run((tx) =>
          ledger.transfer(tx, { kind: 'gift', reference: `between:${kind}:${index}`, postings }),
        );
      }),
    );
    const all = await Promise.all(users.map((id) => balance(`user:${id}`)));
    expect(all.every((amount) => amount >= 0)).toBe(true);
  });

  test('T1 the same reference fifty times at once has one effect', async () => {
    const id = await userWith(0);
    const { accepted, refused } = await endings(
      Array.from({ length: 50 }, () => db.uow.run((tx) => give(tx, id, 10, `once:${id}`))),
    );
    expect(accepted).toBe(1);
    expect(refused).toEqual({ DUPLICATE_REFERENCE: 49 });
    expect(await balance(`user:${id}`)).toBe(10);
  });

  test('after a refusal the caller may go on, and nothing of the refused transfer is left', async () => {
    const id = await userWith(5);
    const known = `known:${id}`;
    await db.uow.run((tx) => give(tx, id, 1, known));
    await db.uow.run(async (tx) => {
      expect(await refusal(spend(tx, id, 50, `too-much:${id}`))).toBe('INSUFFICIENT_CREDITS');
      expect(await refusal(give(tx, id, 50, known))).toBe('DUPLICATE_REFERENCE');
      await spend(tx, id, 2, `too-much:${id}`);
    });
    expect(await balance(`user:${id}`)).toBe(4);
  });

  test('T4 what is no amount is refused before anything is written', async () => {
    const id = await userWith(50);
    for (const bad of [0, -1, 0.5, Number.NaN, Infinity, MAX_CREDITS + 1, '5', '1e9', [5], null, 2 ** 60, true]) {
      const postings = [{ source: `user:${id}` as const, destination: 'system:store' as const, amount: bad as never }];
      await expect(
        db.uow.run((tx) => ledger.transfer(tx, { kind: 'store.buy', reference: `bad:${id}:${String(bad)}`, postings })),
      ).rejects.toThrow(RangeError);
      await expect(
        db.uow.run((tx) => ledger.hold(tx, { userId: id, amount: bad as never, reference: `bad:${id}`, kind: 'hold' })),
      ).rejects.toThrow(RangeError);
    }
    const toItself = [{ source: `user:${id}` as const, destination: `user:${id}` as const, amount: toCredits(1) }];
    await expect(
      db.uow.run((tx) => ledger.transfer(tx, { kind: 'gift', reference: `self:${id}`, postings: toItself })),
    ).rejects.toThrow(RangeError);
    await expect(
      db.uow.run((tx) => ledger.transfer(tx, { kind: 'gift', reference: `none:${id}`, postings: [] })),
    ).rejects.toThrow(RangeError);
    const one = [{ source: `user:${id}` as const, destination: 'system:store' as const, amount: toCredits(1) }];
    for (const nameless of [
      { kind: '', reference: `kindless:${id}` },
      { kind: 'store.buy', reference: '' },
    ])
      await expect(db.uow.run((tx) => ledger.transfer(tx, { ...nameless, postings: one }))).rejects.toThrow(RangeError);
    expect(await balance(`user:${id}`)).toBe(50);
  });

  test('T4 T9 no account exceeds its maximum: each way in is refused before anything is written, and the caller goes on', async () => {
    const id = await userWith(MAX_CREDITS - 10);
    const [wallet, desk] = [`user:${id}`, 'system:adjustment'] as const;
    const facts = { userId: id, amount: 11, kind: 'payment.return' } as const;
    const ways: readonly ((tx: Tx, reference: string) => Promise<unknown>)[] = [
      (tx, reference) =>
        ledger.transfer(tx, {
          kind: 'adjustment',
          reference,
          postings: [{ source: desk, destination: wallet, amount: toCredits(11) }],
        }),
      // Two at a time that would pass one by one.
      (tx, reference) =>
        ledger.transfer(tx, {
          kind: 'adjustment',
          reference,
          postings: [6, 5].map((amount) => ({ source: desk, destination: wallet, amount: toCredits(amount) })),
        }),
      (tx, reference) => ledger.returnCredits(tx, { ...facts, reference, account: 'system:payment.stripe' }),
    ];
    await db.uow.run(async (tx) => {
      for (const [index, way] of ways.entries())
        expect({ index, code: await refusal(way(tx, `full:${id}:${index}`)) }).toEqual({ index, code: 'WALLET_FULL' });
      // What was refused has left nothing, not even its reference.
      await ledger.transfer(tx, {
        kind: 'adjustment',
        reference: `full:${id}:0`,
        postings: [{ source: desk, destination: wallet, amount: toCredits(10) }],
      });
    });
    expect(await balance(wallet)).toBe(MAX_CREDITS);
    // A hold and a debt are accounts too.
    const hold = (reference: string) =>
      db.uow.run((tx) =>
        ledger.holdReward(tx, {
          userId: id,
          amount: MAX_CREDITS,
          reference,
          kind: 'reward.held',
          source: 'system:reward.link',
        }),
      );
    const { holdId } = await hold(`hold:${id}:1`);
    expect(await refusal(hold(`hold:${id}:2`))).toBe('WALLET_FULL');
    expect(
      await refusal(
        db.uow.run((tx) =>
          ledger.growReward(tx, holdId, {
            userId: id,
            amount: 1,
            reference: `hold:${id}:3`,
            kind: 'reward.held',
            source: 'system:reward.link',
          }),
        ),
      ),
    ).toBe('WALLET_FULL');
    expect(
      await refusal(
        db.uow.run((tx) => ledger.releaseReward(tx, holdId, { kind: 'reward.released', reference: `out:${id}` })),
      ),
    ).toBe('WALLET_FULL');
    expect([await balance(wallet), await balance(`hold:${id}`)]).toEqual([MAX_CREDITS, MAX_CREDITS]);
    const back = (reference: string) =>
      db.uow.run((tx) =>
        ledger.chargeBack(tx, {
          userId: id,
          amount: MAX_CREDITS,
          destination: 'system:payment.stripe',
          kind: 'payment.refund',
          reference,
        }),
      );
    for (const n of [1, 2]) await back(`back:${id}:${n}`);
    expect(await refusal(back(`back:${id}:3`))).toBe('WALLET_FULL');
    // Fifty at once fill what is left, and no more.
    const other = await userWith(MAX_CREDITS - 25);
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        refusal(
          db.uow.run((tx) =>
            ledger.transfer(tx, {
              kind: 'adjustment',
              reference: `many:${other}:${n}`,
              postings: [{ source: desk, destination: `user:${other}`, amount: toCredits(1) }],
            }),
          ),
        ),
      ),
    );
    expect([
      many.filter((code) => code === 'accepted').length,
      many.filter((code) => code === 'WALLET_FULL').length,
    ]).toEqual([25, 25]);
    expect(await db.uow.read((tx) => ledger.verify(tx))).toEqual([]);
  });

  test('T4 sums that cannot be counted exactly are refused by a code, and nothing of them stays', async () => {
    const source = 'system:reward.j4r';
    const shards = db.kind === 'postgres' ? SHARDS : 1;
    const full = -Math.floor(Number.MAX_SAFE_INTEGER / shards / MAX_CREDITS) * MAX_CREDITS;
    const id = await userWith(0);
    const pay = (amount: number) =>
      db.uow.run((tx) =>
        ledger.transfer(tx, {
          kind: 'reward.j4r',
          reference: `sum:${id}`,
          postings: [{ source, destination: `user:${id}`, amount: toCredits(amount) }],
        }),
      );
    // As if that many wallets had been filled from one source.
    for (let shard = 0; shard < shards; shard += 1)
      await db.sql('INSERT INTO ledger_balances (account, shard, balance) VALUES (?, ?, ?) RETURNING balance', [
        source,
        shard,
        full,
      ]);
    const ended = [await refusal(pay(MAX_CREDITS)), await balance(`user:${id}`), await balance(source)];
    await db.sql('DELETE FROM ledger_balances WHERE account = ? RETURNING balance', [source]);
    expect(ended).toEqual(['WALLET_FULL', 0, full * shards]);
    expect(await refusal(pay(5))).toBe('accepted');
  });

  test('a transfer of several postings is whole: a wallet may not go below zero even in between', async () => {
    const [payer, receiver] = [await userWith(10), await userWith(0)];
    const facts = (amount: number, reference: string) => ({
      kind: 'gift',
      reference,
      postings: [
        { source: `user:${payer}` as const, destination: `user:${receiver}` as const, amount: toCredits(amount) },
        { source: `user:${payer}` as const, destination: 'system:gift.fee' as const, amount: toCredits(1) },
        { source: 'system:reward.afk' as const, destination: `user:${payer}` as const, amount: toCredits(5) },
      ],
    });
    expect(await code((tx) => ledger.transfer(tx, facts(10, `gift-a:${payer}`)))).toBe('INSUFFICIENT_CREDITS');
    const { balances } = await db.uow.run((tx) => ledger.transfer(tx, facts(9, `gift-b:${payer}`)));
    expect(balances.get(`user:${payer}`)).toBe(5);
    const { rows } = await db.uow.read((tx) => ledger.history(tx, `user:${payer}`, { limit: 10 }));
    expect(rows.map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([
      [5, 5],
      [-1, 0],
      [-9, 1],
      [10, 10],
    ]);
  });

  test('a reversal moves everything back, once', async () => {
    const id = await userWith(30);
    const { id: bought } = await db.uow.run((tx) => spend(tx, id, 30));
    const undo = () => db.uow.run((tx) => ledger.reverse(tx, bought, { reason: 'mistake', actor: 'admin' }));
    const { accepted, refused } = await endings(Array.from({ length: 10 }, undo));
    expect([accepted, refused]).toEqual([1, { ALREADY_REVERSED: 9 }]);
    expect(await balance(`user:${id}`)).toBe(30);
    expect(await code((tx) => ledger.reverse(tx, 'missing', { reason: 'x' }))).toBe('NOT_FOUND');
    const { id: given } = await db.uow.run((tx) => give(tx, id, 5));
    await db.uow.run((tx) => spend(tx, id, 35));
    expect(await code((tx) => ledger.reverse(tx, given, { reason: 'x' }))).toBe('INSUFFICIENT_CREDITS');
  });

  test('what was reversed is known to be, whatever became of the credits since, and the answer is not that they are missing', async () => {
    const id = await userWith(0);
    const { id: given } = await db.uow.run((tx) => give(tx, id, 5));
    await db.uow.run((tx) => ledger.reverse(tx, given, { reason: 'mistake' }));
    expect(await balance(`user:${id}`)).toBe(0);
    expect(await code((tx) => ledger.reverse(tx, given, { reason: 'again' }))).toBe('ALREADY_REVERSED');
  });

  test('a transaction that places a hold in one of its postings is not reversed, whatever the others are', async () => {
    const id = await userWith(10);
    const wallet = `user:${id}` as const;
    for (const [n, destinations] of [
      ['system:store', `hold:${id}`],
      [`hold:${id}`, 'system:store'],
    ].entries()) {
      const reference = `mixed:${id}:${n}`;
      const postings = destinations.map((to) => ({ source: wallet, destination: to as Account, amount: toCredits(2) }));
      const { id: placed } = await db.uow.run(async (tx) => {
        const hold = { id: reference, account: wallet, amount: toCredits(2), reference, state: 'open' } as const;
        await tx.ledger.insertHold({ ...hold, createdMs: clock.now() });
        return ledger.transfer(tx, { kind: 'server.create', reference, postings });
      });
      expect(await code((tx) => ledger.reverse(tx, placed, { reason: 'x' }))).toBe('CONFLICT');
    }
    expect([await balance(wallet), await balance(`hold:${id}`)]).toEqual([2, 4]);
  });

  test('a hold reserves, and it is captured or released, exactly once', async () => {
    const id = await userWith(100);
    const place = (amount: number) =>
      db.uow.run((tx) =>
        ledger.hold(tx, { userId: id, amount, reference: `hold:${id}:${(count += 1)}`, kind: 'server.create' }),
      );
    const [first, second] = [await place(60), await place(40)];
    expect(await db.uow.read((tx) => ledger.held(tx, id))).toBe(100);
    expect(await code((tx) => spend(tx, id, 1))).toBe('INSUFFICIENT_CREDITS');
    const capture = (holdId: string, n: number) =>
      db.uow.run((tx) =>
        ledger.capture(tx, holdId, {
          destination: 'system:renewal',
          kind: 'server.create',
          reference: `capture:${holdId}:${n}`,
        }),
      );
    const race = await endings(
      Array.from({ length: 10 }, (_, n) =>
        n % 2 ? capture(first.holdId, n) : db.uow.run((tx) => ledger.release(tx, first.holdId)),
      ),
    );
    expect([race.accepted, race.refused]).toEqual([1, { HOLD_CLOSED: 9 }]);
    const { id: captured } = await capture(second.holdId, 0);
    expect(await db.uow.read((tx) => ledger.held(tx, id))).toBe(0);
    await db.uow.run((tx) => ledger.reverse(tx, captured, { reason: 'failed after all' }));
    expect(await balance(`user:${id}`)).toBeGreaterThanOrEqual(40);
    expect(await code((tx) => ledger.release(tx, 'missing'))).toBe('NOT_FOUND');
  });

  test('a reward on hold grows while it is open, by its own user’s rewards alone, and is paid as a whole', async () => {
    const [id, other] = [await userWith(0), await userWith(0)];
    const part = (userId: string, amount: number, reference: string) =>
      ({ userId, amount, reference, kind: 'reward.afk', source: 'system:reward.afk' }) as const;
    const { holdId } = await db.uow.run((tx) => ledger.holdReward(tx, part(id, 3, `held:${id}:1`)));
    await db.uow.run((tx) => ledger.growReward(tx, holdId, part(id, 4, `held:${id}:2`)));
    expect([await balance(`user:${id}`), await balance(`hold:${id}`)]).toEqual([0, 7]);
    expect(await code((tx) => ledger.growReward(tx, holdId, part(other, 1, `held:${id}:3`)))).toBe('NOT_FOUND');
    const paid = { kind: 'reward.release', reference: `release:${id}` };
    await db.uow.run((tx) => ledger.releaseReward(tx, holdId, paid));
    expect([await balance(`user:${id}`), await balance(`hold:${id}`)]).toEqual([7, 0]);
    expect(await code((tx) => ledger.growReward(tx, holdId, part(id, 1, `held:${id}:4`)))).toBe('HOLD_CLOSED');
    expect([await balance(`user:${id}`), await balance(`hold:${id}`)]).toEqual([7, 0]);
  });

  test('the placing of a hold is not reversed behind its back', async () => {
    const id = await userWith(10);
    const reference = `hold:${id}`;
    const { holdId } = await db.uow.run((tx) =>
      ledger.hold(tx, { userId: id, amount: 10, reference, kind: 'server.create' }),
    );
    const placed = await db.uow.read((tx) => tx.ledger.byReference(reference));
    expect(await code((tx) => ledger.reverse(tx, placed?.id ?? '', { reason: 'x' }))).toBe('CONFLICT');
    expect(await code((tx) => ledger.capture(tx, holdId, { destination: 'system:store', kind: 'k', reference }))).toBe(
      'DUPLICATE_REFERENCE',
    );
    await db.uow.run((tx) => ledger.release(tx, holdId));
    expect(await balance(`user:${id}`)).toBe(10);
  });

  test('T8 a charge-back of spent credits becomes a debt that blocks spending', async () => {
    const id = await userWith(100);
    await db.uow.run((tx) => spend(tx, id, 70));
    const facts = {
      userId: id,
      amount: 100,
      destination: 'system:payment.stripe',
      kind: 'payment.chargeback',
      reference: `dispute:${id}`,
    } as const;
    expect((await db.uow.run((tx) => ledger.chargeBack(tx, facts))).debt).toBe(70);
    expect(await balance(`user:${id}`)).toBe(0);
    expect(await code((tx) => ledger.chargeBack(tx, facts))).toBe('DUPLICATE_REFERENCE');
    await db.uow.run((tx) => give(tx, id, 500));
    expect(await code((tx) => spend(tx, id, 1))).toBe('SPENDING_BLOCKED');
    const repay = [
      { source: `user:${id}` as const, destination: 'system:payment.stripe' as const, amount: toCredits(70) },
      { source: `debt:${id}` as const, destination: 'system:payment.stripe' as const, amount: toCredits(70) },
    ];
    await db.uow.run((tx) => ledger.transfer(tx, { kind: 'debt', reference: `repay:${id}`, postings: repay }));
    expect(await code((tx) => spend(tx, id, 430))).toBe('accepted');
  });

  test('T8 a charge-back takes a last credit, owes a single one, and leaves a wallet alone that a debt of one blocks', async () => {
    const id = await userWith(1);
    const back = (amount: number, n: number) =>
      db.uow.run((tx) =>
        ledger.chargeBack(tx, {
          userId: id,
          amount,
          destination: 'system:payment.stripe',
          kind: 'payment.chargeback',
          reference: `one:${id}:${n}`,
        }),
      );
    const stands = async () => [await balance(`user:${id}`), await balance(`debt:${id}`)];
    expect((await back(2, 1)).debt).toBe(1);
    expect(await stands()).toEqual([0, 1]);
    await db.uow.run((tx) => give(tx, id, 3));
    expect((await back(2, 2)).debt).toBe(3);
    expect(await stands()).toEqual([3, 3]);
  });

  test('T10 an error after any step of a movement leaves all or nothing', async () => {
    const uow = crashing(db.uow);
    const id = await userWith(100);
    const actions: ((n: number) => Promise<unknown>)[] = [
      (n) => uow.run((tx) => spend(tx, id, 1, `crash-spend:${kind}:${n}`)),
      (n) =>
        uow.run(async (tx) =>
          ledger.release(
            tx,
            (await ledger.hold(tx, { userId: id, amount: 3, reference: `crash-hold:${kind}:${n}`, kind: 'k' })).holdId,
          ),
        ),
      (n) =>
        uow.run(async (tx) =>
          ledger.reverse(tx, (await spend(tx, id, 2, `crash-reverse:${kind}:${n}`)).id, { reason: 'x' }),
        ),
    ];
    for (const [index, action] of actions.entries()) {
      let n = 0;
      for (let broken = true; broken; n += 1) {
        const before = await balance(`user:${id}`);
        uow.arm(n + 1);
        const end = await action(index * 100 + n).then(
          () => 'done',
          (error: unknown) => error,
        );
        broken = uow.disarm();
        if (broken) expect(end).toBeInstanceOf(Crash);
        if (broken) expect(await balance(`user:${id}`)).toBe(before);
        await proveLedger(db.uow);
      }
      expect(n).toBeGreaterThan(2);
    }
  });

  test('verify names what does not fit', async () => {
    const id = await userWith(12);
    await db.sql('UPDATE ledger_balances SET balance = balance + 1 WHERE account = ?', [`user:${id}`]);
    const texts = async () => (await db.uow.read((tx) => ledger.verify(tx))).map(({ text }) => text);
    const faults = await texts();
    expect(await db.uow.read((tx) => ledger.verify(tx))).toContainEqual({
      proof: 'postings',
      account: `user:${id}`,
      id: null,
      stored: 13,
      expected: 12,
      text: `user:${id} has 13 but its postings make 12`,
    });
    expect(faults).toContain(`user:${id} has 13 but its postings make 12`);
    expect(faults.some((fault) => fault.startsWith('all balances together are 1'))).toBe(true);
    await db.sql('UPDATE ledger_balances SET balance = balance - 1 WHERE account = ?', [`user:${id}`]);
    await db.sql("INSERT INTO ledger_transactions (id, kind, reference, created_ms) VALUES ('empty', 'k', 'empty', 1)");
    expect(await texts()).toEqual(['transaction empty has no postings']);
    await db.sql(
      "INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES ('empty', 0, 'system:a', 'system:b', 1, -1, 1, 1, 'k')",
    );
    expect(await db.uow.read((tx) => ledger.verify(tx))).toHaveLength(2);
    await db.sql("INSERT INTO ledger_balances (account, balance) VALUES ('system:a', -1), ('system:b', 1)");
    expect((await texts()).sort()).toEqual([
      'system:a has -1 but its days make 0',
      'system:b has 1 but its days make 0',
    ]);
    await db.sql(
      "INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves) VALUES ('2026-01-01', 'system:a', 'k', 0, 0, 0, -1, 1), ('2026-01-01', 'system:b', 'k', 0, 0, 0, 1, 1)",
    );
    expect(await db.uow.read((tx) => ledger.verify(tx))).toEqual([]);
  });
});
