import { proportionalCredits } from '#shared/money.ts';
import type { OrderState } from '#shared/schemas/payment.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Dispute, DisputeState, EventContent, Order, Paid } from './ports.ts';

/** Credits of an order in all. */
export const creditsOf = (order: Pick<Order, 'credits' | 'bonus'>): number => order.credits + order.bonus;

/**
 * Why a payment is not the order's, the first that applies; null where everything agrees. Told to the admins, never
 * credited (attacks T5, T7).
 */
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

/** Why an event stands on the list whose order is not known here. */
export const UNKNOWN_ORDER = 'UNKNOWN_ORDER';
const ORDER_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether an event says that money came for an order with a name of ours. `ours`: whether it was paid to our account. */
export function isUnmatchedPayment(content: EventContent, ours: (paid: Paid) => boolean): boolean {
  if (content.kind === 'paid')
    return ours(content) && ORDER_ID.test(content.orderId ?? '') && (content.userId ?? '') !== '';
  return (
    content.kind === 'check' && content.money === true && content.ref !== null && ORDER_ID.test(content.orderId ?? '')
  );
}

/** Orders whose payer may still pay. */
export const isWaiting = (state: OrderState): boolean => state === 'created' || state === 'pending';

/** How far along a dispute is. */
const RANK: Readonly<Record<DisputeState, number>> = { inquiry: 0, open: 1, taken: 2, lost: 3, won: 4 };

function furthest(known: DisputeState, said: DisputeState): DisputeState {
  return RANK[known] >= RANK[said] ? known : said;
}

/** States that say where the money is; an inquiry or an open dispute does not. */
const DECISIVE: ReadonlySet<DisputeState> = new Set(['taken', 'lost', 'won']);

type Standing = Pick<Dispute, 'state' | 'amount' | 'updatedMs'>;

/**
 * How a dispute stands after one more event of it, in whatever order they arrive. Of two that tell where the money is,
 * the one that was said later counts, also against the end that was thought final: a dispute that was won may be lost
 * in a second round. Of two said in the same second the furthest counts. What tells nothing of the money changes
 * nothing of what is known of it.
 */
export function mergeDispute(known: Standing, said: Standing): Standing {
  const further = furthest(known.state, said.state);
  const later = said.updatedMs > known.updatedMs;
  const sameTime = said.updatedMs === known.updatedMs;
  if (!DECISIVE.has(known.state)) {
    const amount = later || (sameTime && further === said.state) ? said.amount : known.amount;
    return { state: further, amount, updatedMs: further === said.state ? said.updatedMs : known.updatedMs };
  }
  // Its sum may change while the money is withheld; the time stays that of what was said of the money.
  if (!DECISIVE.has(said.state)) return later && known.state === 'taken' ? { ...known, amount: said.amount } : known;
  if (sameTime) return further === said.state ? said : known;
  if (!later) return known;
  return { ...said, state: known.state === 'lost' && said.state === 'taken' ? 'lost' : said.state };
}

/** Disputes whose money is gone. */
const MONEY_GONE: ReadonlySet<DisputeState> = new Set(['taken', 'lost']);

/**
 * How a paid order stands after refunds and disputes: its state, and the credits that are clawed back in all, never
 * more than it gave. In: money that went back through refunds of ours. PayPal tells of the money a dispute cost as a
 * refund as well: what no refund of ours explains and what disputes took is the same money there, and counts once.
 * Stripe keeps the two apart.
 */
export function paidOrderState(
  order: Order,
  disputes: readonly Dispute[],
  ownRefunds = order.refunded,
): { readonly state: OrderState; readonly clawedBack: number } {
  const disputed = disputes
    .filter(({ state }) => MONEY_GONE.has(state))
    .reduce((sum, { amount, currency }) => sum + (currency === order.currency ? amount : order.amount), 0);
  const own = order.provider === 'paypal' ? Math.min(order.refunded, ownRefunds) : order.refunded;
  const gone = own + Math.max(disputed, order.refunded - own);
  const clawedBack = proportionalCredits(creditsOf(order), Math.min(order.amount, gone), order.amount);
  if (disputes.some(({ state }) => MONEY_GONE.has(state) || state === 'open')) return { state: 'disputed', clawedBack };
  if (order.refunded >= order.amount) return { state: 'refunded', clawedBack };
  return { state: order.refunded > 0 ? 'part_refunded' : 'paid', clawedBack };
}

/** How long an order whose answer was lost, or whose payer never came back, is asked about. Bank debits take days. */
const CHECK_FOR_MS = 14 * DAY;

/** When a gateway is asked next about an order that waits: soon at first, then ever more seldom; null: no more. */
export function nextCheck(order: Pick<Order, 'checks' | 'createdMs'>, nowMs: number): number | null {
  if (nowMs - order.createdMs > CHECK_FOR_MS) return null;
  return nowMs + Math.min(5 * MINUTE * 2 ** Math.min(order.checks, 10), 6 * HOUR);
}

/** Money of an order that can still be given back. In: what refunds that are under way ask for. */
export function refundable(order: Order, underWay: number): number {
  return order.creditedTx === null ? 0 : Math.max(0, order.amount - order.refunded - underWay);
}
