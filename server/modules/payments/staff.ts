import { DomainError, fieldError } from '#shared/errors.ts';
import { proportionalCredits } from '#shared/money.ts';
import { can } from '#shared/permissions.ts';
import { HOUR } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertAmount } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { gatewayOf, PAYMENT_JOBS, enqueueSync, type PaymentDeps } from './deps.ts';
import { creditsOf, refundable } from './policy.ts';
import type { Gateway, Order, Refund, RefundResult } from './ports.ts';
import { creditPayment, reconcileCredits } from './credits.ts';
import { syncOrder } from './sync.ts';

/**
 * Whether an admin may say that the money of an order came: once, also of one that its buyer gave up, as money that
 * comes all the same is theirs.
 */
export const isConfirmable = (order: Order): boolean => order.provider === 'manual' && order.creditedTx === null;

const requestedAmount = (refunds: readonly Refund[]): number =>
  refunds.filter(({ state }) => state === 'requested').reduce((sum, { amount }) => sum + amount, 0);

/** Money of an order that can still be given back, beside what is under way. In: a transaction. */
export async function refundableAmount(tx: Tx, order: Order): Promise<number> {
  return refundable(order, requestedAmount(await tx.payments.refundsOf(order.id)));
}

async function lockExistingOrder(tx: Tx, id: string): Promise<Order> {
  const order = await tx.payments.lockOrder(id);
  if (!order) throw new DomainError('NOT_FOUND');
  return order;
}

/**
 * Confirms by hand that the money of an order came: its credits are paid, once. Throws NOT_FOUND, CONFLICT, and
 * FORBIDDEN for the caller's own order: nobody pays themselves, but who may do everything; APPROVAL_REQUIRED above
 * `staff_amount_max`.
 */
export function confirmOrder(deps: PaymentDeps, ctx: SignedIn, id: string, reason: string): Promise<null> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const order = await lockExistingOrder(tx, id);
    if (order.userId === ctx.actor.userId && !can(ctx.actor.permissions, 'admin.root'))
      throw new DomainError('FORBIDDEN');
    if (!isConfirmable(order)) throw new DomainError('CONFLICT');
    const { userId, amount, currency } = order;
    assertAmount(ctx, deps.settings.current(), creditsOf(order));
    const result = await creditPayment(
      deps,
      tx,
      order,
      { orderId: id, userId, ref: id, paymentRef: id, amount, currency, account: null, live: true },
      true,
    );
    if (result.kind !== 'credited') throw new DomainError('CONFLICT');
    await writeAudit(tx, deps, ctx, {
      action: 'payments.confirm',
      target: id,
      before: { state: order.state },
      after: { state: 'paid', amount, currency, userId, reason },
    });
    return null;
  });
}

/**
 * Gives money back. It is recorded first; a job asks the gateway, with the record's own id as key, so that a lost
 * answer never refunds twice. The credits go when the gateway says that the money went. Throws NOT_FOUND, CONFLICT (not
 * paid), APPROVAL_REQUIRED, VALIDATION_FAILED (more than is left).
 */
export function requestRefund(
  deps: PaymentDeps,
  ctx: SignedIn,
  id: string,
  { amount, reason }: { amount: number; reason: string },
): Promise<{ id: string }> {
  const { uow, clock, ids } = deps;
  return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
    const order = await lockExistingOrder(tx, id);
    if (order.creditedTx === null) throw new DomainError('CONFLICT');
    // Measured in the credits it claws back, whatever currency was paid.
    assertAmount(ctx, deps.settings.current(), proportionalCredits(creditsOf(order), amount, order.amount));
    if (amount > (await refundableAmount(tx, order))) throw fieldError('amount', 'TOO_LARGE');
    const refund: Refund = {
      id: ids.uuid(),
      orderId: id,
      amount,
      state: 'requested',
      reason,
      actorId: ctx.actor.userId,
      failure: null,
      createdMs: clock.now(),
    };
    await tx.payments.addRefund(refund);
    await writeAudit(tx, deps, ctx, {
      action: 'payments.refund',
      target: id,
      before: { refunded: order.refunded },
      after: { amount, currency: order.currency, userId: order.userId, reason },
    });
    if (gatewayOf(deps, order.provider)) {
      await enqueue(tx, ids, clock, {
        kind: PAYMENT_JOBS.refund,
        payload: { refundId: refund.id },
        uniqueKey: `${PAYMENT_JOBS.refund}:${refund.id}`,
        maxAttempts: REFUND_TRIES,
      });
    } else {
      // Nobody to ask: the admin has given the money back by hand.
      await tx.payments.endRefund(refund.id, 'done', null, null, clock.now());
      await tx.payments.patchOrder(id, { refunded: order.refunded + amount }, clock.now());
      await reconcileCredits(deps, tx, id);
    }
    return { id: refund.id };
  });
}

/** Tries of a refund, over four hours; each asks with the same key. */
const REFUND_TRIES = 10;
/** Why a refund failed of which nobody knows whether it was made. */
const NO_ANSWER = 'NO_ANSWER';
/**
 * How long gateways are sure to know a key again (services: PayPal six hours, Stripe a day). After that we look before
 * we ask.
 */
const KEY_KNOWN_MS = 5 * HOUR;

/**
 * Asks the gateway for a recorded refund, then how the order stands. May run more than once. Throws where the gateway
 * does not answer.
 */
export async function executeRefund(deps: PaymentDeps, refundId: string): Promise<void> {
  const found = await deps.uow.read(async (tx) => {
    const refund = await tx.payments.refund(refundId);
    const order = refund && (await tx.payments.order(refund.orderId));
    return refund && order ? { refund, order } : null;
  });
  const gateway = found && gatewayOf(deps, found.order.provider);
  if (!found || !gateway || found.refund.state !== 'requested') return;
  const { refund, order } = found;
  const result =
    (deps.clock.now() - refund.createdMs > KEY_KNOWN_MS
      ? await findRefundAtGateway(deps, gateway, order, refund)
      : null) ?? (await gateway.refund(order, refund));
  if (result.kind === 'unknown')
    throw new Error(`${order.provider} does not say whether the money was given back: ${result.reason}`);
  if (result.kind === 'refused') return failRefund(deps, refund, result.reason);
  await syncOrder(
    deps,
    order.id,
    async (tx) => void (await tx.payments.endRefund(refund.id, 'done', null, result.ref, deps.clock.now())),
  );
}

/**
 * What became of a refund whose key the gateway may have forgotten, by what it says of the order; null where it was not
 * made. Money that went back and that no refund of ours accounts for may be this one, told of by an event, or another
 * of the gateway's own pages: it is not asked for again, people look. Throws where the gateway does not say.
 */
async function findRefundAtGateway(
  { uow }: PaymentDeps,
  gateway: Gateway,
  order: Order,
  refund: Refund,
): Promise<RefundResult | null> {
  const status = await gateway.readStatus(order);
  if (status.kind !== 'paid') throw new Error(`${order.provider} does not say how an order stands`);
  if (status.refunded >= order.refunded + refund.amount) return { kind: 'done', ref: refund.id };
  const done = (await uow.read((tx) => tx.payments.refundsOf(order.id)))
    .filter(({ state }) => state === 'done')
    .reduce((sum, { amount }) => sum + amount, 0);
  return status.refunded >= done + refund.amount ? { kind: 'refused', reason: NO_ANSWER } : null;
}

/** A refund that the gateway refuses, or never answered: the admins are told to look for themselves. */
function failRefund(deps: PaymentDeps, refund: Pick<Refund, 'id' | 'orderId'>, reason: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    if (!(await tx.payments.endRefund(refund.id, 'failed', reason.slice(0, 200), null, deps.clock.now()))) return;
    await deps.events.emit(tx, 'refund.failed', { orderId: refund.orderId, refundId: refund.id });
    // The money may have gone all the same, and its event with the answer: how the order stands is asked until
    // somebody says it.
    if (reason === NO_ANSWER) await enqueueSync(deps, tx, refund.orderId);
  });
}

/** Gives up a refund after its last try. */
export async function recordRefundFailure(deps: PaymentDeps, refundId: string): Promise<void> {
  const refund = await deps.uow.read((tx) => tx.payments.refund(refundId));
  if (refund?.state === 'requested') await failRefund(deps, refund, NO_ANSWER);
}
