import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Tx } from '#server/modules/tx.ts';
import { codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { createPayout, type Reward } from './service.ts';

// Shows behaviour 4 where every earning source pays.

let world: CoinWorld;
let reward: Reward;
beforeEach(async () => {
  world = await coinWorld();
  const { actor } = await world.person(7);
  reward = { userId: actor.userId, source: 'link', amount: 10, reference: 'link:1', subject: 'Sponsor' };
});
afterEach(() => world.close());

const counted = () => world.uow.read((tx) => world.counters.earnedToday(tx, reward.userId, 'link'));
const wallet = (account = `user:${reward.userId}` as const) =>
  world.uow.read((tx) => world.ledger.balance(tx, account));

test('a reward is counted against its cap, then paid from the account of its source, once', async () => {
  await world.settings.set(null, { link_daily_cap: 15 });
  const pay = (reference: string) => world.uow.run((tx) => world.payout.pay(tx, { ...reward, reference }));
  expect(await pay('link:1')).toMatchObject({ state: 'paid', balance: 17 });
  expect([await counted(), await wallet()]).toEqual([10, 17]);
  expect(await codeOf(pay('link:2'))).toBe('DAILY_CAP_REACHED');
  await world.settings.set(null, { link_daily_cap: 0 });
  // The same reference a second time takes its whole transaction back.
  expect(await codeOf(pay('link:1'))).toBe('DUPLICATE_REFERENCE');
  expect([await counted(), await wallet()]).toEqual([10, 17]);
  const rows = await world.db.sql("SELECT kind, subject, actor FROM ledger_transactions WHERE reference = 'link:1'");
  expect(rows).toEqual([{ kind: 'reward.link', subject: 'Sponsor', actor: reward.userId }]);
});

test('what was counted already is not counted again', async () => {
  await world.uow.run((tx) => world.payout.creditReward(tx, reward));
  expect([await counted(), await wallet()]).toEqual([0, 17]);
});

test('a reward that the review policy holds is counted, moves no credits into the wallet, and can be cancelled', async () => {
  const waiting = new Set<string>();
  const payout = createPayout({
    ...world,
    reviewPolicy: {
      hold: async (_: Tx, { reference }) => (waiting.add(reference), { txId: 't1' }),
      cancel: async (_: Tx, reference) => waiting.delete(reference),
    },
  });
  const paid = await world.uow.run((tx) => payout.pay(tx, reward));
  expect(paid).toEqual({ state: 'held', txId: 't1', balance: 7 });
  expect([await counted(), await wallet()]).toEqual([10, 7]);
  const cancel = () => world.uow.run((tx) => payout.cancelHeld(tx, 'link:1'));
  expect([await cancel(), await cancel()]).toEqual([true, false]);
});

test('a reward is never cancelled without a review policy', async () => {
  expect(await world.uow.run((tx) => world.payout.cancelHeld(tx, 'link:1'))).toBe(false);
});
