import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { accountOf, gatewayOf, PAYMENT_JOBS, subjectOf, type PaymentDeps } from './deps.ts';
import { creditsOf, mismatchOf, nextCheck, paidOrderState } from './policy.ts';
import type { Order, Paid } from './ports.ts';
import { issueReceipt } from './receipts.ts';

/** What became of a payment: credited now, credited before, or not this order's. */
type Credited = { readonly kind: 'credited' | 'known' } | { readonly kind: 'mismatch'; readonly reason: string };

/** Reads an order again, under the lock its transaction holds. Throws where it is gone, which cannot be. */
export async function reloadOrder(tx: Tx, id: string): Promise<Order> {
  const order = await tx.payments.order(id);
  if (!order) throw new Error(`the order ${id} is gone`);
  return order;
}

/**
 * Pays the credits of an order, once for good: the order is locked, and the reference of the movement names the
 * payment. The order must be locked by the caller. Out: what it came to; after `mismatch` nothing has moved, and the
 * admins know.
 */
export async function creditPayment(
  deps: PaymentDeps,
  tx: Tx,
  order: Order,
  paid: Paid,
  ours: boolean,
): Promise<Credited> {
  const reason = mismatchOf(order, paid, ours);
  if (reason !== null) return refusePayment(deps, tx, order, reason, paid.paymentRef);
  if (order.creditedTx !== null) return { kind: 'known' };
  const now = deps.clock.now();
  if (!(await tx.payments.patchOrder(order.id, { ref: paid.ref, paymentRef: paid.paymentRef }, now)))
    return refusePayment(deps, tx, order, 'PAYMENT_OF_ANOTHER', paid.paymentRef);
  const { userId, provider } = order;
  const reference = `payment:${provider}:${paid.paymentRef}`;
  const total = creditsOf(order);
  // With the debt that the credits pay, and in the order of every payer, so that a purchase at the same time waits or
  // is waited for, never both.
  await tx.ledger.lock([`debt:${userId}`, `user:${userId}`]);
  let id: string;
  try {
    const movement = {
      kind: 'payment.credit',
      reference,
      subject: subjectOf(order),
      postings: [{ source: accountOf(provider), destination: `user:${userId}`, amount: toCredits(total) }],
    } as const;
    id = (await deps.ledger.transfer(tx, movement)).id;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'DUPLICATE_REFERENCE')
      return refusePayment(deps, tx, order, 'PAYMENT_OF_ANOTHER', paid.paymentRef);
    throw error;
  }
  await tx.payments.patchOrder(
    order.id,
    { state: 'paid', creditedTx: id, paidMs: now, payUrl: null, failure: null, nextCheckMs: null },
    now,
  );
  await issueReceipt(deps, tx, order);
  await deps.ledger.payDebt(tx, {
    userId,
    amount: total,
    kind: 'debt.paid',
    reference: `${reference}:debt`,
    subject: subjectOf(order),
  });
  await deps.events.emit(tx, 'order.credited', { userId, orderId: order.id, amount: total });
  await enqueuePaymentMethodLookup(deps, tx, order);
  await reconcileCredits(deps, tx, order.id);
  return { kind: 'credited' };
}

/** Tries of looking up what an order was paid with. The credits do not wait for it. */
const PAYMENT_METHOD_TRIES = 6;

/** Enqueues the lookup of the payment method, where it is wanted and the gateway offers it. */
async function enqueuePaymentMethodLookup(deps: PaymentDeps, tx: Tx, { id, provider }: Order): Promise<void> {
  if (!deps.notePayment || !gatewayOf(deps, provider)?.paymentMethod) return;
  await enqueue(tx, deps.ids, deps.clock, {
    kind: PAYMENT_JOBS.means,
    payload: { orderId: id },
    uniqueKey: `${PAYMENT_JOBS.means}:${id}`,
    maxAttempts: PAYMENT_METHOD_TRIES,
  });
}

/** The event may be wrong and the order right: how it stands is still asked in its time. */
async function refusePayment(
  deps: PaymentDeps,
  tx: Tx,
  order: Order,
  reason: string,
  paymentRef: string,
): Promise<Credited> {
  if (order.creditedTx === null)
    await tx.payments.patchOrder(
      order.id,
      { failure: reason, nextCheckMs: nextCheck(order, deps.clock.now()) },
      deps.clock.now(),
    );
  await deps.events.emit(tx, 'order.mismatched', { orderId: order.id, reason, paymentRef });
  deps.log.warn('payments.mismatch', { order: order.id, provider: order.provider, reason });
  return { kind: 'mismatch', reason };
}

/**
 * Brings the credits of a paid order in line with its refunds and disputes: claws back what the money that went covers,
 * gives back what came home. An order that is not credited yet is left alone: it is brought in line when it is. The
 * order must be locked by the caller.
 */
export async function reconcileCredits(deps: PaymentDeps, tx: Tx, orderId: string): Promise<void> {
  const order = await reloadOrder(tx, orderId);
  tx.touch(`user:${order.userId}`);
  if (order.creditedTx === null || order.paymentRef === null) return;
  const disputes = await tx.payments.disputesOf(order.provider, order.paymentRef);
  const own = (await tx.payments.refundsOf(orderId))
    .filter((refund) => refund.state === 'done')
    .reduce((sum, { amount }) => sum + amount, 0);
  const { state, clawedBack } = paidOrderState(order, disputes, own);
  const difference = clawedBack - order.clawedBack;
  const moves = order.moves + (difference === 0 ? 0 : 1);
  if (difference !== 0 || state !== order.state)
    await tx.payments.patchOrder(orderId, { state, clawedBack, moves }, deps.clock.now());
  if (difference === 0) return;
  const { userId, provider } = order;
  const facts = { userId, reference: `payment:${provider}:${order.paymentRef}:${moves}`, subject: subjectOf(order) };
  if (difference < 0) {
    const returned = { userId, orderId, amount: -difference, reference: facts.reference };
    await deps.events.emit(tx, 'order.credits_returned', returned);
    await deps.ledger.returnCredits(tx, {
      ...facts,
      amount: -difference,
      account: accountOf(provider),
      kind: 'payment.return',
    });
    return;
  }
  const taken = { userId, orderId, amount: difference, reference: facts.reference };
  await deps.events.emit(tx, 'order.credits_taken', taken);
  const kind = state === 'disputed' ? 'payment.dispute' : 'payment.refund';
  const { debt } = await deps.ledger.chargeBack(tx, {
    ...facts,
    amount: difference,
    destination: accountOf(provider),
    kind,
  });
  if (debt > 0) await deps.events.emit(tx, 'order.debt_incurred', { ...taken, amount: debt });
}
