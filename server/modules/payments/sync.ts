import { DomainError } from '#shared/errors.ts';
import { DAY, dayIn, HOUR } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { gatewayOf, PAYMENT_JOBS, enqueueImmediateSync, enqueueSync, type PaymentDeps } from './deps.ts';
import { isWaiting, nextCheck } from './policy.ts';
import type { GatewayStatus, Order } from './ports.ts';
import { reloadOrder, creditPayment, reconcileCredits } from './credits.ts';

/** Orders asked about in one turn. */
const BATCH = 200;
/** Tries of a capture, over hours; the payer has three. */
const CAPTURE_TRIES = 12;
/** How often a look is repeated because the order changed while the gateway was asked. */
const ROUNDS = 5;
/** How long an order may stay without the gateway's answer to its opening. */
const NEVER_OPENED_MS = HOUR;

/**
 * Asks the gateway how an order stands and brings ours in line: what webhooks that were lost would have said. An answer
 * to a question that was put before the order changed is not used. `also` runs in the same transaction. Throws where
 * the gateway does not answer.
 */
export async function syncOrder(deps: PaymentDeps, orderId: string, also?: (tx: Tx) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = await deps.uow.read((tx) => tx.payments.order(orderId));
    const gateway = order && gatewayOf(deps, order.provider);
    if (!order || !gateway) return;
    const status = await gateway.readStatus(order);
    if (status.kind === 'unknown') throw new Error(`${order.provider} does not say how an order stands`);
    const done = await deps.uow.run(async (tx) => {
      const locked = await tx.payments.lockOrder(orderId);
      if (locked?.revision !== order.revision) return false;
      // What it notes of our own refunds is asked for when the order is settled.
      await also?.(tx);
      if (locked.failure !== null && RECOVERABLE.has(locked.failure))
        await tx.payments.patchOrder(orderId, { failure: null }, deps.clock.now());
      await applyStatus(deps, tx, locked, status, status.kind === 'paid' && gateway.isOwnPayment(status.paid));
      return true;
    });
    if (done) return;
  }
  throw new Error('the order changed whenever its gateway was asked');
}

async function applyStatus(
  deps: PaymentDeps,
  tx: Tx,
  order: Order,
  status: Exclude<GatewayStatus, { kind: 'unknown' }>,
  ours: boolean,
): Promise<void> {
  const now = deps.clock.now();
  if (status.kind === 'paid') {
    const result = await creditPayment(deps, tx, order, status.paid, ours);
    if (result.kind === 'mismatch') return;
    const refunded = Math.min(order.amount, status.refunded);
    if (refunded !== (await reloadOrder(tx, order.id)).refunded)
      await tx.payments.patchOrder(order.id, { refunded }, now);
    return reconcileCredits(deps, tx, order.id);
  }
  if (status.kind === 'approved') {
    await enqueue(tx, deps.ids, deps.clock, {
      kind: PAYMENT_JOBS.capture,
      payload: { orderId: order.id },
      uniqueKey: `${PAYMENT_JOBS.capture}:${order.id}`,
      maxAttempts: CAPTURE_TRIES,
    });
  }
  if (order.creditedTx === null) await updateUnpaidOrder(deps, tx, order, status.kind);
}

/** What an order comes to that is not paid, by what its gateway says of it. */
async function updateUnpaidOrder(
  { clock }: PaymentDeps,
  tx: Tx,
  order: Order,
  says: Exclude<GatewayStatus['kind'], 'unknown' | 'paid'>,
): Promise<void> {
  const now = clock.now();
  const over = nextCheck(order, now) === null;
  // Money that is on its way at the bank is waited for as long as it is; so is what may only be unknown to the keys
  // that are set now.
  const onItsWay = says === 'waiting' || (says === 'missing' && !over);
  const nobodyWill = says === 'failed' || says === 'expired' || (over && says !== 'waiting');
  if (says !== 'open' && says !== 'approved' && order.payUrl !== null)
    await tx.payments.patchOrder(order.id, { payUrl: null }, now);
  if (nobodyWill)
    await tx.payments.patchOrder(
      order.id,
      { ...endState(order, says === 'failed' ? 'failed' : 'expired'), payUrl: null, nextCheckMs: null },
      now,
    );
  else if (onItsWay && (over || says === 'missing'))
    await tx.payments.patchOrder(
      order.id,
      { ...(says === 'missing' ? endState(order, 'expired') : {}), nextCheckMs: now + DAY },
      now,
    );
  tx.touch(`user:${order.userId}`);
}

const endState = (order: Order, state: 'failed' | 'expired') => (isWaiting(order.state) ? { state } : {});

/**
 * An order whose gateway did not answer in all tries: staff are told, once a day and gateway, and find it under what
 * needs somebody. It may be paid there, so it is never just closed: it is still asked about in its time, and whenever
 * staff say so.
 */
export function recordSyncFailure(deps: PaymentDeps, orderId: string, error: unknown): Promise<void> {
  return deps.uow.run(async (tx) => {
    const order = await tx.payments.lockOrder(orderId);
    if (!order || (order.failure !== null && !RECOVERABLE.has(order.failure))) return;
    const failure = error instanceof DomainError && RECOVERABLE.has(error.code) ? error.code : NO_ANSWER;
    const now = deps.clock.now();
    const over = order.creditedTx === null && nextCheck(order, now) === null;
    await tx.payments.patchOrder(
      orderId,
      { failure, ...(over ? { ...endState(order, 'expired'), payUrl: null, nextCheckMs: null } : {}) },
      now,
    );
    await deps.events.emit(tx, 'order.sync_failed', { orderId, provider: order.provider, day: dayIn(now, 'UTC') });
  });
}

/** Has the gateway asked about an order once more, by staff. Throws NOT_FOUND, CONFLICT where there is nobody to ask. */
export function requestSync(deps: PaymentDeps, ctx: SignedIn, orderId: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const order = await tx.payments.lockOrder(orderId);
    if (!order) throw new DomainError('NOT_FOUND');
    if (!gatewayOf(deps, order.provider) || order.ref === null) throw new DomainError('CONFLICT');
    await enqueueImmediateSync(deps, tx, orderId);
    await writeAudit(tx, deps, ctx, {
      action: 'payments.check',
      target: orderId,
      before: { state: order.state, failure: order.failure },
    });
  });
}

/** What stands at an order whose gateway did not answer; and what may have passed when it answers again. */
const NO_ANSWER = 'NO_ANSWER';
const RECOVERABLE: ReadonlySet<string> = new Set([NO_ANSWER, 'WALLET_FULL']);

/** Has the gateways asked about every order whose event is overdue (lost webhooks), each ever more seldom. */
export async function reconcile(deps: PaymentDeps): Promise<number> {
  const { uow, clock } = deps;
  const due = await uow.read((tx) => tx.payments.due(clock.now(), BATCH));
  for (const { id } of due) {
    await uow.run(async (tx) => {
      const order = await tx.payments.lockOrder(id);
      const now = clock.now();
      if (!order || order.nextCheckMs === null || order.nextCheckMs > now) return;
      const next = nextCheck(order, now);
      const lost = order.ref === null && now - order.createdMs > NEVER_OPENED_MS;
      if (lost || (next === null && order.ref === null)) {
        // Its address was never given out: nobody can have paid there.
        await tx.payments.patchOrder(id, { ...endState(order, 'expired'), payUrl: null, nextCheckMs: null }, now);
        return tx.touch(`user:${order.userId}`);
      }
      if (order.ref === null) return void (await tx.payments.patchOrder(id, { nextCheckMs: next }, now));
      // The last time too: what is closed is what the gateway says, not what it did not say.
      await tx.payments.patchOrder(id, { checks: order.checks + 1, nextCheckMs: next }, now);
      await enqueueSync(deps, tx, id);
    });
  }
  return due.length;
}

/**
 * Takes the money of an order that its payer approved; the credits come with the event that it was taken. Of one that
 * its buyer gave up nothing is taken. Throws where the gateway does not answer.
 */
export async function captureOrder(deps: PaymentDeps, orderId: string): Promise<void> {
  const order = await deps.uow.read((tx) => tx.payments.order(orderId));
  const gateway = order && gatewayOf(deps, order.provider);
  if (!order || !gateway || order.creditedTx !== null || order.ref === null || order.state === 'cancelled') return;
  if (!(await gateway.capture(order))) throw new Error(`${order.provider} does not say whether the money was taken`);
}

/**
 * Notes what a credited order was paid with among the signals of abuse (behaviour 4.6). Throws where the gateway does
 * not answer.
 */
export async function recordPaymentMethod(deps: PaymentDeps, orderId: string): Promise<void> {
  const order = await deps.uow.read((tx) => tx.payments.order(orderId));
  if (!order || order.creditedTx === null) return;
  const means = (await gatewayOf(deps, order.provider)?.paymentMethod?.(order)) ?? null;
  // What is the same at two gateways by chance is not the same.
  if (means !== null)
    await deps.uow.run(async (tx) => deps.notePayment?.(tx, order.userId, `${order.provider}:${means}`));
}

/** Closes the checkout of an order that was given up. */
export async function closeOrder(deps: PaymentDeps, orderId: string): Promise<void> {
  const order = await deps.uow.read((tx) => tx.payments.order(orderId));
  if (order?.state === 'cancelled') await gatewayOf(deps, order.provider)?.close(order);
}
