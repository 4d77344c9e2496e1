import { afterEach, beforeEach, expect, test } from 'bun:test';
import { toCredits, MAX_CREDITS } from '#shared/credits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf } from '#tests/support/coins.ts';

// Behaviour 5.3 at the credits themselves; attacks T5, T7, T8 and their stories are shown by tests/api/payments.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

/** The buyer spends credits, by a movement with this reference. */
const spent = (reference: string, amount: number): Parameters<BankWorld['ledger']['transfer']>[1] => ({
  kind: 'store.buy',
  reference,
  postings: [{ source: `user:${world.ann.actor.userId}`, destination: 'system:store', amount: toCredits(amount) }],
});

test('credits come with everything that belongs to them: movement, receipt, state and the question for the means', async () => {
  const id = await world.place();
  await world.jobs();
  await world.pay(id);
  expect(await world.order(id)).toMatchObject({
    state: 'paid',
    ref: `cs-${id}`,
    paymentRef: `pi-${id}`,
    paidMs: world.clock.now(),
    payUrl: null,
    failure: null,
    nextCheckMs: null,
    moves: 0,
    clawedBack: 0,
  });
  expect([await world.balance(world.ann), await world.account('stripe')]).toEqual([500, -500]);
  expect((await world.payments.receipt(world.ann, id)).number).toBe('R-000001');
  expect(await world.jobs()).toEqual([`payments.means ${id} ×6`]);
  await world.pay(id);
  expect([await world.balance(world.ann), await world.jobs()]).toEqual([500, []]);
});

test('nobody asks for the means of an order whose gateway never tells them', async () => {
  delete world.bank.gateway.paymentMethod;
  const id = await world.place();
  await world.pay(id);
  expect(await world.jobs()).toEqual([]);
});

test('T5 a payment that does not fit moves nothing, stands at the order, and is asked about again in its time', async () => {
  const id = await world.place();
  await world.pay(id, 0, { amount: 499 });
  expect(await world.order(id)).toMatchObject({
    state: 'pending',
    creditedTx: null,
    failure: 'AMOUNT',
    nextCheckMs: world.clock.now() + 5 * MINUTE,
  });
  expect(await world.balance(world.ann)).toBe(0);
  expect(await world.notified()).toEqual([`paymentMismatch {"order":"${id}"} paymentMismatch:${id}:AMOUNT:pi-${id}`]);
  world.clock.advance(14 * DAY + 1);
  await world.pay(id, 0, { amount: 499 });
  expect(await world.order(id)).toMatchObject({ failure: 'AMOUNT', nextCheckMs: null });
  // A paid order does not get a failure from a second payment.
  const paid = await world.place();
  await world.pay(paid);
  await world.pay(paid, 0, { paymentRef: 'pi-2' });
  expect(await world.order(paid)).toMatchObject({ state: 'paid', failure: null, nextCheckMs: null });
  expect((await world.notified()).at(-1)).toBe(
    `paymentMismatch {"order":"${paid}"} paymentMismatch:${paid}:PAID_TWICE:pi-2`,
  );
});

test('T7 a payment pays one order: another that names it is refused, and so is one whose movement is there already', async () => {
  const [first, second, third] = [await world.place(), await world.place(), await world.place()];
  await world.pay(first);
  await world.pay(second, 0, { paymentRef: `pi-${first}` });
  expect(await world.order(second)).toMatchObject({
    creditedTx: null,
    failure: 'PAYMENT_OF_ANOTHER',
    state: 'pending',
  });
  await world.uow.run((tx) => world.ledger.transfer(tx, spent(`payment:stripe:pi-${third}`, 500)));
  await world.pay(third);
  expect(await world.order(third)).toMatchObject({ creditedTx: null, failure: 'PAYMENT_OF_ANOTHER', state: 'pending' });
  expect(await world.balance(world.ann)).toBe(0);
  // A payment that was refused has given nothing, so nothing of it is reversed.
  const dispute = { disputeId: 'd1', paymentRef: `pi-${third}`, amount: 500, currency: 'EUR', state: 'taken' } as const;
  await world.payments.applyEvent(await world.take({ kind: 'dispute', ...dispute }));
  expect([await world.owed(), (await world.order(third)).clawedBack]).toEqual([0, 0]);
});

test('T9 credits that the wallet cannot hold are not lost: the order stays unpaid and is paid when there is room', async () => {
  const id = await world.place();
  await world.grant(world.ann.actor.userId, MAX_CREDITS);
  expect(await codeOf(world.pay(id))).toBe('WALLET_FULL');
  expect(await world.order(id)).toMatchObject({ creditedTx: null, state: 'pending', paymentRef: null });
});

test('T8 what was given back is taken in parts, each by a movement of its own, and returned when the money comes home', async () => {
  const id = await world.place();
  await world.pay(id);
  const userId = world.ann.actor.userId;
  const stands = async () => {
    const { state, clawedBack, moves, refunded } = await world.order(id);
    return { state, clawedBack, moves, refunded, balance: await world.balance(world.ann) };
  };
  await world.pay(id, 1);
  expect(await stands()).toEqual({ state: 'part_refunded', clawedBack: 1, moves: 1, refunded: 1, balance: 499 });
  await world.pay(id, 1);
  expect((await stands()).moves).toBe(1);
  await world.pay(id, 2);
  expect(await stands()).toEqual({ state: 'part_refunded', clawedBack: 2, moves: 2, refunded: 2, balance: 498 });
  await world.pay(id, 900);
  expect(await stands()).toEqual({ state: 'refunded', clawedBack: 500, moves: 3, refunded: 500, balance: 0 });
  await world.pay(id, 0);
  expect(await stands()).toEqual({ state: 'paid', clawedBack: 0, moves: 4, refunded: 0, balance: 500 });
  const rows = await world.db.sql<{ kind: string; reference: string }>(
    "SELECT kind, reference FROM ledger_transactions WHERE reference LIKE 'payment:%' ORDER BY id",
  );
  expect(rows.map(({ kind, reference }) => `${kind} ${reference}`)).toEqual([
    `payment.credit payment:stripe:pi-${id}`,
    `payment.refund payment:stripe:pi-${id}:1`,
    `payment.refund payment:stripe:pi-${id}:2`,
    `payment.refund payment:stripe:pi-${id}:3`,
    `payment.return payment:stripe:pi-${id}:4`,
  ]);
  // Whoever has to know is told in the same transaction, by the same reference.
  const moved = (name: string, amount: number, reference?: string) =>
    `${name} ${JSON.stringify({ userId, orderId: id, amount, ...(reference ? { reference } : {}) })}`;
  expect(world.emitted).toEqual([
    moved('order.credited', 500),
    moved('order.credits_taken', 1, `payment:stripe:pi-${id}:1`),
    moved('order.credits_taken', 1, `payment:stripe:pi-${id}:2`),
    moved('order.credits_taken', 498, `payment:stripe:pi-${id}:3`),
    moved('order.credits_returned', 500, `payment:stripe:pi-${id}:4`),
  ]);
  expect(await world.uow.read((tx) => world.ledger.balance(tx, `debt:${userId}`))).toBe(0);
  expect(await world.notified()).toEqual([]);
});

test('T8 staff hear of a debt from the first credit, and credits that are paid later pay it before all else', async () => {
  const [id, other] = [await world.place(), await world.place()];
  await world.pay(id);
  await world.uow.run((tx) => world.ledger.transfer(tx, spent('spent', 1)));
  await world.pay(id, 500);
  expect([await world.balance(world.ann), await world.owed()]).toEqual([0, 1]);
  expect(await world.notified()).toEqual([`paymentDebt {"cost":1} paymentDebt:payment:stripe:pi-${id}:1`]);
  await world.pay(other);
  expect([await world.balance(world.ann), await world.owed()]).toEqual([499, 0]);
  // Each account equals its orders.
  expect(await world.account('stripe')).toBe(-500);
});

test('a refund that failed, or is under way, explains no money that PayPal says went back', async () => {
  const id = await world.place('paypal');
  await world.pay(id);
  const dispute = { disputeId: 'd1', paymentRef: `pi-${id}`, amount: 200, currency: 'EUR', state: 'lost' } as const;
  await world.payments.refund(world.staff, id, { amount: 200, reason: 'asked for' });
  await world.payments.applyEvent(await world.take({ kind: 'dispute', ...dispute }, 'paypal'));
  await world.pay(id, 200);
  // The refund of ours is not made yet: the 200 are those of the dispute.
  expect(await world.balance(world.ann)).toBe(300);
  const [refund] = await world.uow.read((tx) => tx.payments.refundsOf(id));
  await world.uow.run((tx) => tx.payments.endRefund(refund?.id ?? '', 'done', null, 'r', world.clock.now() + HOUR));
  await world.pay(id, 200);
  expect(await world.balance(world.ann)).toBe(100);
});
