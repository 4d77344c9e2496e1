import { afterEach, expect, test } from 'bun:test';
import { atOnce, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
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
    const state = () => world.db.uow.read(async (tx) => [await world.ledger.balance(tx, `user:${userId}`), await world.ledger.balance(tx, `debt:${userId}`)]);
    const back = (n: number) => world.db.uow.run((tx) => world.ledger.chargeBack(tx, { userId, amount: 10, destination: facts.account, kind: facts.kind, reference: `back:${n}` }));
    expect(await atOnce(50, back)).toEqual({ ok: 50 });
    expect(await state()).toEqual([0, 200]);
    expect(await atOnce(50, back)).toEqual({ DUPLICATE_REFERENCE: 50 });
    // Fifteen return, of which the debt takes all; then credits come in and pay what is left, no more.
    expect(await atOnce(15, (n) => world.db.uow.run((tx) => world.ledger.giveBack(tx, { ...facts, amount: 10, reference: `return:${n}` })))).toEqual({ ok: 15 });
    expect(await state()).toEqual([0, 50]);
    await world.grant(userId, 120);
    const paid = await Promise.all(Array.from({ length: 50 }, (_, n) => world.db.uow.run((tx) => world.ledger.payDebt(tx, { ...facts, amount: 7, reference: `debt:${n}` }))));
    expect([paid.reduce((sum, each) => sum + each, 0), paid.filter((each) => each > 0).length]).toEqual([50, 8]);
    expect(await state()).toEqual([70, 0]);
    await world.db.uow.run((tx) => world.ledger.giveBack(tx, { ...facts, amount: 30, reference: 'return:last' }));
    expect(await state()).toEqual([100, 0]);
  },
  60_000,
);
