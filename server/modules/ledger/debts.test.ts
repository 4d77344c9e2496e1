import { afterEach, expect, test } from 'bun:test';
import { atOnce, coinWorld, totalsOf, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';

let world: CoinWorld;
afterEach(() => world.close(), 60_000);

test.each(ENGINES)(
  'T8 fifty charge-backs, returns and payments of a debt at once end where they must (%s)',
  async (engine) => {
    world = await coinWorld(engine);
    const { actor } = await world.person(300);
    const { userId } = actor;
    const facts = { userId, account: 'system:payment.stripe', kind: 'payment.refund' } as const;
    const state = () =>
      world.db.uow.read(async (tx) => [
        await world.ledger.balance(tx, `user:${userId}`),
        await world.ledger.balance(tx, `debt:${userId}`),
      ]);
    const back = (n: number) =>
      world.db.uow.run((tx) =>
        world.ledger.chargeBack(tx, {
          userId,
          amount: 10,
          destination: facts.account,
          kind: facts.kind,
          reference: `back:${n}`,
        }),
      );
    expect(await atOnce(50, back)).toEqual({ ok: 50 });
    expect(await state()).toEqual([0, 200]);
    expect(await atOnce(50, back)).toEqual({ DUPLICATE_REFERENCE: 50 });
    // Fifteen return, of which the debt takes all; then credits come in and pay what is left, no more.
    expect(
      await atOnce(15, (n) =>
        world.db.uow.run((tx) => world.ledger.returnCredits(tx, { ...facts, amount: 10, reference: `return:${n}` })),
      ),
    ).toEqual({ ok: 15 });
    expect(await state()).toEqual([0, 50]);
    await world.grant(userId, 120);
    const paid = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        world.db.uow.run((tx) => world.ledger.payDebt(tx, { ...facts, amount: 7, reference: `debt:${n}` })),
      ),
    );
    expect([paid.reduce((sum, each) => sum + each, 0), paid.filter((each) => each > 0).length]).toEqual([50, 8]);
    expect(await state()).toEqual([70, 0]);
    await world.db.uow.run((tx) => world.ledger.returnCredits(tx, { ...facts, amount: 30, reference: 'return:last' }));
    expect(await state()).toEqual([100, 0]);
  },
  60_000,
);

test.each(ENGINES)(
  'what is owed, and what pays it, is neither minted nor burnt (%s)',
  async (engine) => {
    world = await coinWorld(engine);
    const { userId } = (await world.person(100)).actor;
    const facts = { userId, account: 'system:payment.stripe' } as const;
    const totals = () => totalsOf(world.uow);
    await world.uow.run((tx) =>
      world.ledger.chargeBack(tx, {
        userId,
        amount: 130,
        destination: facts.account,
        kind: 'payment.refund',
        reference: 'back',
      }),
    );
    expect(await totals()).toEqual({ circulation: 0, minted: 100, burnt: 100 });
    await world.grant(userId, 20);
    await world.uow.run((tx) =>
      world.ledger.payDebt(tx, { ...facts, amount: 20, kind: 'debt.paid', reference: 'paid' }),
    );
    expect(await totals()).toEqual({ circulation: 0, minted: 120, burnt: 120 });
    await world.uow.run((tx) =>
      world.ledger.returnCredits(tx, { ...facts, amount: 15, kind: 'payment.return', reference: 'won' }),
    );
    expect(await totals()).toEqual({ circulation: 5, minted: 125, burnt: 120 });
  },
  60_000,
);

test('a refund goes off the debt first, to the last credit, and says what is left of it', async () => {
  world = await coinWorld('sqlite');
  const { userId } = (await world.person(0)).actor;
  const facts = { userId, account: 'system:payment.stripe', kind: 'payment.return' } as const;
  await world.uow.run((tx) =>
    world.ledger.chargeBack(tx, {
      userId,
      amount: 21,
      destination: facts.account,
      kind: 'payment.refund',
      reference: 'back',
    }),
  );
  const give = (amount: number, reference: string) =>
    world.uow.run((tx) => world.ledger.returnCredits(tx, { ...facts, amount, reference }));
  expect(await give(20, 'first')).toMatchObject({ debt: 1, off: 20, balance: null });
  expect(await give(5, 'second')).toMatchObject({ debt: 0, off: 1, balance: 4 });
  expect(await give(3, 'third')).toMatchObject({ debt: 0, off: 0, balance: 7 });
});

test('T8 a refund many times at once that is more than the debt pays it once and the wallet the rest', async () => {
  world = await coinWorld('postgres');
  const { userId } = (await world.person(0)).actor;
  const facts = { userId, account: 'system:payment.stripe', kind: 'payment.return' } as const;
  await world.uow.run((tx) =>
    world.ledger.chargeBack(tx, {
      userId,
      amount: 35,
      destination: facts.account,
      kind: 'payment.refund',
      reference: 'back',
    }),
  );
  let tries = 0;
  const work = (n: number) =>
    world.uow.run(
      (tx) => ((tries += 1), world.ledger.returnCredits(tx, { ...facts, amount: 10, reference: `back:${n}` })),
    );
  expect(await atOnce(20, work)).toEqual({ ok: 20 });
  // Each waits for the one before: the database turns none of them back.
  expect(tries).toBe(20);
  expect(
    await world.uow.read(async (tx) => [
      await world.ledger.balance(tx, `user:${userId}`),
      await world.ledger.balance(tx, `debt:${userId}`),
    ]),
  ).toEqual([165, 0]);
}, 300_000);

test('a charge-back and a purchase of somebody with a debt lock in one order: the database rejects none of them', async () => {
  world = await coinWorld('postgres');
  const { userId } = (await world.person(100)).actor;
  const facts = { userId, destination: 'system:payment.stripe', kind: 'payment.refund' } as const;
  await world.uow.run((tx) => world.ledger.chargeBack(tx, { ...facts, amount: 110, reference: 'first' }));
  const tries = { purchase: 0, back: 0 };
  const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const purchase = world.uow.run(async (tx) => {
    tries.purchase += 1;
    // As every payer: the debt comes first by its name.
    await tx.ledger.lock([`debt:${userId}`]);
    locked.resolve();
    await goOn.promise;
    await tx.ledger.lock([`user:${userId}`]);
  });
  await locked.promise;
  const back = world.uow.run(
    (tx) => ((tries.back += 1), world.ledger.chargeBack(tx, { ...facts, amount: 20, reference: 'second' })),
  );
  const waiting = () =>
    world.db.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
  while ((await waiting())[0]?.n === 0);
  goOn.resolve();
  await Promise.all([purchase, back]);
  expect(tries).toEqual({ purchase: 1, back: 1 });
}, 300_000);
