import { shareOf } from '#shared/money.ts';
import type { OrderState } from '#shared/schemas/payment.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Dispute, DisputeState, Order, Paid } from './ports.ts';

/** Credits of an order in all. */
export const creditsOf = (order: Pick<Order, 'credits' | 'bonus'>): number => order.credits + order.bonus;

/** Why a payment is not the order's, the first that applies; null where everything agrees. Told to the admins, never credited (attacks T5, T7). */
export function mismatchOf(order: Order, paid: Paid, ours: boolean): string | null {
  if (!ours) return 'ACCOUNT';
  if (paid.orderId !== null && paid.orderId !== order.id) return 'ORDER';
  if (paid.userId !== null && paid.userId !== order.userId) return 'USER';
  if (order.ref !== null && paid.ref !== order.ref) return 'REFERENCE';
  if (paid.currency !== order.currency) return 'CURRENCY';
  if (paid.amount !== order.amount) return 'AMOUNT';
  if (order.paymentRef !== null && paid.paymentRef !== order.paymentRef) return 'PAID_TWICE';
  return null;
}

/** Orders whose payer may still pay. */
export const isWaiting = (state: OrderState): boolean => state === 'created' || state === 'pending';

/** How far along a dispute is: of what arrives in any order, the furthest counts. */
const RANK: Readonly<Record<DisputeState, number>> = { inquiry: 0, open: 1, taken: 2, lost: 3, won: 4 };

/** The state of a dispute after one more notice of it. */
export function furthest(known: DisputeState | null, said: DisputeState): DisputeState {
  return known !== null && RANK[known] >= RANK[said] ? known : said;
}

/** Disputes whose money is gone. */
const GONE: ReadonlySet<DisputeState> = new Set(['taken', 'lost']);

/** How a paid order stands after refunds and disputes: its state, and the credits that are taken back in all. */
export function standing(order: Order, disputes: readonly Dispute[]): { readonly state: OrderState; readonly takenBack: number } {
  const disputed = disputes.filter(({ state }) => GONE.has(state)).reduce((sum, { amount, currency }) => sum + (currency === order.currency ? amount : order.amount), 0);
  const takenBack = shareOf(creditsOf(order), Math.min(order.amount, order.refunded + disputed), order.amount);
  if (disputes.some(({ state }) => GONE.has(state) || state === 'open')) return { state: 'disputed', takenBack };
  if (order.refunded >= order.amount) return { state: 'refunded', takenBack };
  return { state: order.refunded > 0 ? 'part_refunded' : 'paid', takenBack };
}

/** How long an order whose answer was lost, or whose payer never came back, is asked about. Bank debits take days. */
const ASK_FOR_MS = 14 * DAY;

/** When a gateway is asked next about an order that waits: soon at first, then ever more seldom; null: no more. */
export function nextLook(order: Pick<Order, 'looks' | 'createdMs'>, nowMs: number): number | null {
  if (nowMs - order.createdMs > ASK_FOR_MS) return null;
  return nowMs + Math.min(5 * MINUTE * 2 ** Math.min(order.looks, 10), 6 * HOUR);
}

/** Money of an order that can still be given back. In: what refunds that are under way ask for. */
export function refundable(order: Order, underWay: number): number {
  return order.creditedTx === null ? 0 : Math.max(0, order.amount - order.refunded - underWay);
}
