import { expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { furthest, mismatchOf, nextLook, refundable, standing } from './policy.ts';
import type { Dispute, DisputeState, Order, Paid } from './ports.ts';

const ORDER: Order = {
  id: 'o1', userId: 'u1', provider: 'stripe', state: 'paid', packageId: null, label: null, currency: 'EUR', amount: 500, tax: 0, taxRate: 0, credits: 1000, bonus: 200, rate: null,
  locale: 'en', ref: 'cs_1', paymentRef: 'pi_1', payUrl: null, failure: null, creditedTx: 't1', takenBack: 0, moves: 0, refunded: 0, revision: 0, looks: 0, lookMs: null, createdMs: 0,
  expiresMs: null, paidMs: 0,
};
const PAID: Paid = { orderId: 'o1', userId: 'u1', ref: 'cs_1', paymentRef: 'pi_1', amount: 500, currency: 'EUR', account: null, live: true };
const dispute = (state: DisputeState, amount = 500, currency = 'EUR'): Dispute => ({ provider: 'stripe', disputeId: 'd', paymentRef: 'pi_1', amount, currency, state, updatedMs: 0 });

test('T5 T7 a payment is the order’s only where everything agrees', () => {
  expect(mismatchOf(ORDER, PAID, true)).toBeNull();
  expect(mismatchOf({ ...ORDER, ref: null, paymentRef: null }, PAID, true)).toBeNull();
  const wrong: [Partial<Paid>, string][] = [
    [{ orderId: 'o2' }, 'ORDER'], [{ orderId: '' }, 'ORDER'], [{ userId: 'u2' }, 'USER'], [{ userId: '' }, 'USER'], [{ ref: 'cs_2' }, 'REFERENCE'], [{ currency: 'USD' }, 'CURRENCY'],
    [{ currency: 'eur' }, 'CURRENCY'], [{ amount: 499 }, 'AMOUNT'], [{ amount: -1 }, 'AMOUNT'], [{ amount: Number.NaN }, 'AMOUNT'], [{ paymentRef: 'pi_2' }, 'PAID_TWICE'],
  ];
  for (const [over, reason] of wrong) expect({ over, reason: mismatchOf(ORDER, { ...PAID, ...over }, true) }).toEqual({ over, reason });
  expect(mismatchOf(ORDER, PAID, false)).toBe('ACCOUNT');
});

test('T8 refunds and disputes together never take more than the order gave', () => {
  expect(standing(ORDER, [])).toEqual({ state: 'paid', takenBack: 0 });
  expect(standing({ ...ORDER, refunded: 250 }, [])).toEqual({ state: 'part_refunded', takenBack: 600 });
  expect(standing({ ...ORDER, refunded: 250 }, [dispute('taken')])).toEqual({ state: 'disputed', takenBack: 1200 });
  expect(standing(ORDER, [dispute('inquiry')])).toEqual({ state: 'paid', takenBack: 0 });
  expect(standing(ORDER, [dispute('open')])).toEqual({ state: 'disputed', takenBack: 0 });
  expect(standing(ORDER, [dispute('won')])).toEqual({ state: 'paid', takenBack: 0 });
  // In another currency the part cannot be told: all of it.
  expect(standing(ORDER, [dispute('lost', 1, 'USD')])).toEqual({ state: 'disputed', takenBack: 1200 });
});

test('T7 of what is said of a dispute the furthest counts, in whatever order', () => {
  const states: DisputeState[] = ['inquiry', 'open', 'taken', 'won'];
  const orders = states.flatMap((a) => states.flatMap((b) => states.flatMap((c) => states.map((d) => [a, b, c, d])))).filter((each) => new Set(each).size === 4);
  for (const order of orders) expect(order.reduce<DisputeState | null>((known, said) => furthest(known, said), null)).toBe('won');
});

test('T12 an order is asked about soon, then ever more seldom, and in the end no more', () => {
  const looks = [0, 1, 2, 3, 20].map((n) => nextLook({ looks: n, createdMs: 0 }, 0));
  expect(looks).toEqual([5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 40 * MINUTE, 6 * HOUR]);
  expect([nextLook({ looks: 3, createdMs: 0 }, 14 * DAY), nextLook({ looks: 3, createdMs: 0 }, 14 * DAY + 1)]).toEqual([14 * DAY + 40 * MINUTE, null]);
});

test('what can still be given back: of paid orders, beside what is under way', () => {
  expect([refundable(ORDER, 0), refundable({ ...ORDER, refunded: 200 }, 200), refundable({ ...ORDER, refunded: 400 }, 200), refundable({ ...ORDER, creditedTx: null }, 0)]).toEqual([500, 100, 0, 0]);
});
