import { expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import {
  isUnmatchedPayment,
  isWaiting,
  mismatchOf,
  mergeDispute,
  nextCheck,
  refundable,
  paidOrderState,
} from './policy.ts';
import type { Dispute, DisputeState, EventContent, Order, Paid } from './ports.ts';

const ORDER: Order = {
  id: 'o1',
  code: 'AAAA0000',
  userId: 'u1',
  provider: 'stripe',
  state: 'paid',
  packageId: null,
  label: null,
  currency: 'EUR',
  amount: 500,
  tax: 0,
  taxRate: 0,
  credits: 1000,
  bonus: 200,
  rate: null,
  locale: 'en',
  ref: 'cs_1',
  paymentRef: 'pi_1',
  payUrl: null,
  failure: null,
  creditedTx: 't1',
  clawedBack: 0,
  moves: 0,
  refunded: 0,
  revision: 0,
  checks: 0,
  nextCheckMs: null,
  createdMs: 0,
  expiresMs: null,
  paidMs: 0,
};
const PAID: Paid = {
  orderId: 'o1',
  userId: 'u1',
  ref: 'cs_1',
  paymentRef: 'pi_1',
  amount: 500,
  currency: 'EUR',
  account: null,
  live: true,
};
const dispute = (state: DisputeState, amount = 500, currency = 'EUR'): Dispute => ({
  provider: 'stripe',
  disputeId: 'd',
  paymentRef: 'pi_1',
  amount,
  currency,
  state,
  updatedMs: 0,
});

test('T5 T7 a payment is the order’s only where everything agrees', () => {
  expect(mismatchOf(ORDER, PAID, true)).toBeNull();
  expect(mismatchOf({ ...ORDER, ref: null, paymentRef: null }, PAID, true)).toBeNull();
  const wrong: [Partial<Paid>, string][] = [
    [{ orderId: 'o2' }, 'ORDER'],
    [{ orderId: '' }, 'ORDER'],
    [{ userId: 'u2' }, 'USER'],
    [{ userId: '' }, 'USER'],
    [{ ref: 'cs_2' }, 'REFERENCE'],
    [{ currency: 'USD' }, 'CURRENCY'],
    [{ currency: 'eur' }, 'CURRENCY'],
    [{ amount: 499 }, 'AMOUNT'],
    [{ amount: -1 }, 'AMOUNT'],
    [{ amount: Number.NaN }, 'AMOUNT'],
    [{ paymentRef: 'pi_2' }, 'PAID_TWICE'],
  ];
  for (const [over, reason] of wrong)
    expect({ over, reason: mismatchOf(ORDER, { ...PAID, ...over }, true) }).toEqual({ over, reason });
  expect(mismatchOf(ORDER, PAID, false)).toBe('ACCOUNT');
});

test('T5 T7 the gravest of several mismatches is named: account, order, user, payment, then amount', () => {
  const wrong: [Partial<Paid>, string][] = [
    [{ orderId: 'o2' }, 'ORDER'],
    [{ userId: 'u2' }, 'USER'],
    [{ ref: 'cs_2' }, 'REFERENCE'],
    [{ currency: 'USD' }, 'CURRENCY'],
    [{ amount: 499 }, 'AMOUNT'],
    [{ paymentRef: 'pi_2' }, 'PAID_TWICE'],
  ];
  const named = wrong.map((_, first) =>
    mismatchOf(ORDER, Object.assign({ ...PAID }, ...wrong.slice(first).map(([over]) => over)), true),
  );
  expect(named).toEqual(wrong.map(([, reason]) => reason));
  expect(mismatchOf(ORDER, { ...PAID, orderId: 'o2', userId: 'u2' }, false)).toBe('ACCOUNT');
});

test('T5 a payment that names no order or nobody is the order’s where the rest agrees', () => {
  expect(mismatchOf(ORDER, { ...PAID, orderId: null, userId: null }, true)).toBeNull();
});

test('T8 refunds and disputes together never take more than the order gave', () => {
  expect(paidOrderState(ORDER, [])).toEqual({ state: 'paid', clawedBack: 0 });
  expect(paidOrderState({ ...ORDER, refunded: 1 }, [])).toEqual({ state: 'part_refunded', clawedBack: 3 });
  expect(paidOrderState({ ...ORDER, refunded: 250 }, [])).toEqual({ state: 'part_refunded', clawedBack: 600 });
  expect(paidOrderState({ ...ORDER, refunded: 250 }, [dispute('taken')])).toEqual({
    state: 'disputed',
    clawedBack: 1200,
  });
  expect(paidOrderState(ORDER, [dispute('inquiry')])).toEqual({ state: 'paid', clawedBack: 0 });
  expect(paidOrderState(ORDER, [dispute('open')])).toEqual({ state: 'disputed', clawedBack: 0 });
  expect(paidOrderState(ORDER, [dispute('won')])).toEqual({ state: 'paid', clawedBack: 0 });
  // In another currency the part cannot be told: all of it.
  expect(paidOrderState(ORDER, [dispute('lost', 1, 'USD')])).toEqual({ state: 'disputed', clawedBack: 1200 });
});

test('T8 an order whose money went back is disputed while a dispute of it is open, and refunded after', () => {
  const refunded = { ...ORDER, refunded: 500 };
  expect(paidOrderState(refunded, [dispute('open')])).toEqual({ state: 'disputed', clawedBack: 1200 });
  expect(paidOrderState(refunded, [dispute('won')])).toEqual({ state: 'refunded', clawedBack: 1200 });
});

test('T8 at PayPal the money of a dispute that is reported as a refund too counts once, and a refund of ours counts beside it', () => {
  const order = { ...ORDER, provider: 'paypal' } as const;
  expect(paidOrderState({ ...order, refunded: 200 }, [dispute('lost', 200)], 0)).toEqual({
    state: 'disputed',
    clawedBack: 480,
  });
  expect(paidOrderState({ ...order, refunded: 200 }, [dispute('lost', 200)], 200)).toEqual({
    state: 'disputed',
    clawedBack: 960,
  });
  expect(paidOrderState({ ...order, refunded: 300 }, [dispute('lost', 200)], 100)).toEqual({
    state: 'disputed',
    clawedBack: 720,
  });
  // Several disputes of one payment add up, to no more than the order gave.
  expect(paidOrderState(order, [dispute('lost', 100), dispute('taken', 150), dispute('won', 400)], 0)).toEqual({
    state: 'disputed',
    clawedBack: 600,
  });
  expect(paidOrderState(order, [dispute('lost', 400), dispute('taken', 400)], 0)).toEqual({
    state: 'disputed',
    clawedBack: 1200,
  });
  // Stripe tells the two apart.
  expect(paidOrderState({ ...ORDER, refunded: 200 }, [dispute('lost', 200)], 0)).toEqual({
    state: 'disputed',
    clawedBack: 960,
  });
});

/** All orders in which events can arrive. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((each, index) => orders(list.filter((_, at) => at !== index)).map((rest) => [each, ...rest]));
}
type Said = { state: DisputeState; amount: number; updatedMs: number };
const end = (said: readonly Said[]) =>
  said.slice(1).reduce<Said>((known, each) => mergeDispute(known, each), said[0] as Said);

test('T7 T8 the latest word on the money of a dispute counts, in whatever order it arrives', () => {
  const said = (state: DisputeState, updatedMs: number, amount = 500): Said => ({ state, amount, updatedMs });
  const stories: [Said[], Partial<Said>][] = [
    [[said('inquiry', 1), said('open', 2), said('taken', 3), said('won', 4)], { state: 'won' }],
    // All in one second: the furthest.
    [[said('inquiry', 1), said('open', 1), said('taken', 1), said('won', 1)], { state: 'won' }],
    // Won, and lost in a second round.
    [[said('open', 1), said('taken', 2), said('won', 3), said('taken', 4)], { state: 'taken' }],
    [[said('taken', 2), said('won', 3), said('taken', 4), said('lost', 5)], { state: 'lost' }],
    [[said('taken', 2), said('won', 3), said('taken', 4), said('won', 5)], { state: 'won' }],
    // OpenResult again, but no money has moved.
    [[said('taken', 2), said('won', 3), said('open', 4)], { state: 'won' }],
    [[said('lost', 2), said('taken', 3)], {}],
    // The sum that was named last.
    [[said('taken', 2, 500), said('taken', 3, 200)], { state: 'taken', amount: 200 }],
    [[said('taken', 2, 500), said('lost', 3, 150), said('open', 1, 400)], { state: 'lost', amount: 150 }],
  ];
  for (const [story, wanted] of stories)
    for (const order of orders(story)) expect({ order, end: end(order) }).toMatchObject({ order, end: wanted });
  expect(end([said('lost', 2), said('taken', 3)]).state).toBe('lost');
});

test('T7 T8 what says nothing of the money changes at most a sum, and only where it came later', () => {
  const said = (state: DisputeState, updatedMs: number, amount: number): Said => ({ state, amount, updatedMs });
  const stories: [known: Said, next: Said, wanted: Said][] = [
    [said('inquiry', 1, 500), said('open', 2, 300), said('open', 2, 300)],
    [said('inquiry', 1, 500), said('open', 1, 300), said('open', 1, 300)],
    // What came late, or at the same time and goes less far, has no say.
    [said('inquiry', 5, 500), said('open', 3, 300), said('open', 3, 500)],
    [said('open', 1, 500), said('inquiry', 1, 300), said('open', 1, 500)],
    [said('open', 1, 500), said('open', 1, 300), said('open', 1, 300)],
    // While the money is withheld the sum may change; once it is decided on it may not.
    [said('taken', 2, 500), said('open', 3, 300), said('taken', 2, 300)],
    [said('taken', 2, 500), said('open', 2, 300), said('taken', 2, 500)],
    [said('taken', 2, 500), said('open', 1, 300), said('taken', 2, 500)],
    [said('won', 2, 500), said('open', 3, 300), said('won', 2, 500)],
    [said('lost', 2, 500), said('open', 3, 300), said('lost', 2, 500)],
    // Of two in one second the one that goes further counts.
    [said('taken', 1, 500), said('lost', 1, 300), said('lost', 1, 300)],
    [said('lost', 1, 500), said('taken', 1, 300), said('lost', 1, 500)],
    [said('lost', 1, 500), said('won', 1, 300), said('won', 1, 300)],
    [said('won', 1, 500), said('lost', 1, 300), said('won', 1, 500)],
  ];
  for (const [known, next, wanted] of stories)
    expect({ known, next, end: mergeDispute(known, next) }).toEqual({ known, next, end: wanted });
});

test('E1 only money that came to our account for an order and a user with names of ours is a payment of an unknown order', () => {
  const orderId = '0198a000-0000-7000-8000-000000000001';
  const paid: EventContent = { kind: 'paid', ...PAID, orderId };
  const asked: EventContent = { kind: 'check', money: true, orderId, ref: 'cs_1', paymentRef: null };
  const is = (content: EventContent, ours = true) => isUnmatchedPayment(content, () => ours);
  expect([is(paid), is(asked), is(asked, false)]).toEqual([true, true, true]);
  const none: EventContent[] = [
    { ...paid, orderId: null },
    { ...paid, orderId: '' },
    { ...paid, orderId: `x${orderId}` },
    { ...paid, orderId: `${orderId}x` },
    { ...paid, userId: null },
    { ...paid, userId: '' },
    { ...asked, orderId: null },
    { ...asked, orderId: 'an invoice of somebody else' },
    { ...asked, ref: null },
    { kind: 'check', orderId, ref: 'cs_1', paymentRef: null },
    { kind: 'approved', orderId, ref: 'cs_1', paymentRef: null },
    { kind: 'ignored' },
  ];
  for (const content of none) expect({ content, is: is(content) }).toEqual({ content, is: false });
  expect(is(paid, false)).toBe(false);
});

test('an order can be paid while it is created or pending, and in no other state', () => {
  const states = [
    'created',
    'pending',
    'paid',
    'part_refunded',
    'refunded',
    'disputed',
    'failed',
    'expired',
    'cancelled',
  ];
  expect(states.filter((state) => isWaiting(state as Order['state']))).toEqual(['created', 'pending']);
});

test('T12 an order is asked about soon, then ever more seldom, and in the end no more', () => {
  const checks = [0, 1, 2, 3, 20].map((n) => nextCheck({ checks: n, createdMs: 0 }, 0));
  expect(checks).toEqual([5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 40 * MINUTE, 6 * HOUR]);
  expect([
    nextCheck({ checks: 3, createdMs: 0 }, 14 * DAY),
    nextCheck({ checks: 3, createdMs: 0 }, 14 * DAY + 1),
  ]).toEqual([14 * DAY + 40 * MINUTE, null]);
  expect(nextCheck({ checks: 0, createdMs: 30 * DAY }, 31 * DAY)).toBe(31 * DAY + 5 * MINUTE);
});

test('an order can be refunded when it is paid, beside what is under way', () => {
  expect([
    refundable(ORDER, 0),
    refundable({ ...ORDER, refunded: 200 }, 200),
    refundable({ ...ORDER, refunded: 400 }, 200),
    refundable({ ...ORDER, creditedTx: null }, 0),
  ]).toEqual([500, 100, 0, 0]);
});
