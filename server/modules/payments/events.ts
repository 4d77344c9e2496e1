import { DomainError } from '#shared/errors.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import { writeAudit } from '../audit/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { EVENT_TRIES, gatewayOf, PAYMENT_JOBS, enqueueSync, type PaymentDeps } from './deps.ts';
import { isUnmatchedPayment, isWaiting, mergeDispute, UNKNOWN_ORDER } from './policy.ts';
import type { EventOutcome, EventContent, Order, WebhookRequest, StoredEvent } from './ports.ts';
import { creditPayment, reconcileCredits } from './credits.ts';

/**
 * Receives an event of a gateway: verifies it over its raw bytes, records it once, and enqueues a job that applies it.
 * What is recorded, now or before, is answered at once, as gateways demand. Throws NOT_FOUND (the gateway is not set
 * up), SIGNATURE_INVALID, GATEWAY_UNAVAILABLE (it cannot be verified now and is to be sent again).
 */
export async function receiveWebhook(deps: PaymentDeps, provider: Provider, request: WebhookRequest): Promise<void> {
  const proof = (await gatewayOf(deps, provider)?.verify(request)) ?? { kind: 'off' as const };
  if (proof.kind === 'off') throw new DomainError('NOT_FOUND');
  if (proof.kind === 'unavailable') throw new DomainError('GATEWAY_UNAVAILABLE');
  if (proof.kind === 'forged') {
    deps.log.warn('payments.forged', { provider, reason: proof.reason });
    throw new DomainError('SIGNATURE_INVALID');
  }
  const { event } = proof;
  const id = deps.ids.uuid();
  const ignored = event.content.kind === 'ignored';
  const fresh = await deps.uow.run(async (tx) => {
    const added = await tx.payments.addEvent({
      id,
      provider,
      ...event,
      orderId: null,
      outcome: ignored ? 'ignored' : 'received',
      reason: null,
      receivedMs: deps.clock.now(),
    });
    if (added && !ignored) await enqueueEvent(deps, tx, id);
    return added;
  });
  if (fresh && ignored) deps.log.info('payments.event_ignored', { provider, type: event.type });
}

/** Enqueues the job that applies a recorded event. */
function enqueueEvent({ ids, clock }: PaymentDeps, tx: Tx, id: string): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: PAYMENT_JOBS.event,
    payload: { id },
    uniqueKey: `${PAYMENT_JOBS.event}:${id}`,
    maxAttempts: EVENT_TRIES,
  });
}

type EventResult = { readonly outcome: EventOutcome; readonly reason?: string; readonly orderId: string | null };

/** Applies a recorded event. May run more than once. Throws where the gateway has to be asked and does not answer. */
export async function applyEvent(deps: PaymentDeps, id: string): Promise<void> {
  const event = await deps.uow.read((tx) => tx.payments.event(id));
  if (event?.outcome !== 'received') return;
  const { content } = event;
  const orderId = await orderIdOf(deps, event.provider, content);
  await deps.uow.run(async (tx) => {
    const order = orderId === null ? null : await tx.payments.lockOrder(orderId);
    const same = order?.provider === event.provider ? order : null;
    const now = await tx.payments.event(id);
    // Another runner may have done it while this one waited for the lock.
    if (now?.outcome !== 'received') return;
    const { outcome, reason, orderId: about } = await applyContent(deps, tx, event, same);
    await tx.payments.endEvent(id, outcome, reason ?? null, about);
    if (outcome === 'unknown') deps.log.info('payments.event_unknown', { provider: event.provider, type: event.type });
  });
}

/**
 * The order an event is about: named by it, or found by the gateway's own references; only in the end the gateway is
 * asked.
 */
async function orderIdOf(deps: PaymentDeps, provider: Provider, content: EventContent): Promise<string | null> {
  if (content.kind === 'ignored') return null;
  const where = content.kind === 'dispute' ? { orderId: null, ref: null, paymentRef: content.paymentRef } : content;
  const known = await deps.uow.read(async (tx) => {
    const named = where.orderId === null ? null : await tx.payments.order(where.orderId);
    const byRef = named ?? (where.ref === null ? null : await tx.payments.byRef(provider, where.ref));
    return byRef ?? (where.paymentRef === null ? null : await tx.payments.byPayment(provider, where.paymentRef));
  });
  if (known || where.paymentRef === null || !['check', 'dispute'].includes(content.kind)) return known?.id ?? null;
  return (await gatewayOf(deps, provider)?.orderOf(where.paymentRef)) ?? null;
}

async function applyContent(deps: PaymentDeps, tx: Tx, event: StoredEvent, order: Order | null): Promise<EventResult> {
  const { content } = event;
  if (content.kind === 'dispute') return recordDispute(deps, tx, event, content, order);
  if (!order) return reportUnknownOrder(deps, tx, event);
  const orderId = order.id;
  switch (content.kind) {
    case 'paid': {
      const result = await creditPayment(
        deps,
        tx,
        order,
        content,
        gatewayOf(deps, order.provider)?.isOwnPayment(content) ?? false,
      );
      return result.kind === 'mismatch'
        ? { outcome: 'mismatch', reason: result.reason, orderId }
        : { outcome: 'applied', orderId };
    }
    case 'check':
    case 'approved': {
      if (content.kind === 'check') await enqueueSync(deps, tx, orderId);
      else
        await enqueue(tx, deps.ids, deps.clock, {
          kind: PAYMENT_JOBS.capture,
          payload: { orderId },
          uniqueKey: `${PAYMENT_JOBS.capture}:${orderId}`,
          maxAttempts: EVENT_TRIES,
        });
      return { outcome: 'applied', orderId };
    }
    default:
      return { outcome: await updateUnpaidOrder(deps, tx, order, content.kind), orderId };
  }
}

/**
 * An event about no order that is known here. Where money came that carries our names, somebody paid and nobody would
 * know (a copy of yesterday was put back): it is listed under problems, and staff are notified.
 */
async function reportUnknownOrder(
  deps: PaymentDeps,
  tx: Tx,
  { id, provider, content }: StoredEvent,
): Promise<EventResult> {
  if (!isUnmatchedPayment(content, (paid) => gatewayOf(deps, provider)?.isOwnPayment(paid) === true))
    return { outcome: 'unknown', orderId: null };
  await deps.events.emit(tx, 'payment.unknown', { eventId: id });
  return { outcome: 'unknown', reason: UNKNOWN_ORDER, orderId: null };
}

/**
 * An order that waits for the bank, or that nobody will pay any more. One that is paid stays so: events come in any
 * order.
 */
async function updateUnpaidOrder(
  deps: PaymentDeps,
  tx: Tx,
  order: Order,
  kind: 'waiting' | 'failed' | 'expired' | 'ignored',
): Promise<EventOutcome> {
  if (kind === 'ignored' || !isWaiting(order.state)) return 'ignored';
  const now = deps.clock.now();
  await tx.payments.patchOrder(
    order.id,
    kind === 'waiting' ? { state: 'pending', payUrl: null } : { state: kind, payUrl: null, nextCheckMs: null },
    now,
  );
  tx.touch(`user:${order.userId}`);
  return 'applied';
}

async function recordDispute(
  deps: PaymentDeps,
  tx: Tx,
  event: StoredEvent,
  content: Extract<EventContent, { kind: 'dispute' }>,
  order: Order | null,
): Promise<EventResult> {
  const { disputeId, paymentRef, amount, currency, state, atMs = event.receivedMs } = content;
  const said = { provider: event.provider, disputeId, paymentRef, amount, currency, state, updatedMs: atMs };
  const known = await tx.payments.lockDispute(said);
  const now = { ...known, ...mergeDispute(known, { state, amount, updatedMs: atMs }) };
  await tx.payments.saveDispute(now);
  if (!order) return { outcome: 'waiting', orderId: null };
  // Notified once a state; a second round after one that was won is notified again.
  const reopened = known.state === 'won' && (now.state !== 'won' || atMs > known.updatedMs) && state !== 'won';
  const reopenedMs = reopened ? atMs : null;
  await deps.events.emit(tx, 'order.disputed', { orderId: order.id, disputeId, state, reopenedMs });
  await reconcileCredits(deps, tx, order.id);
  return { outcome: 'applied', orderId: order.id };
}

/**
 * An event that could not be carried out in all its tries: kept with the reason, and staff are notified. It can be
 * tried again.
 */
export function recordEventFailure(deps: PaymentDeps, id: string, error: unknown): Promise<void> {
  return deps.uow.run(async (tx) => {
    const event = await tx.payments.event(id);
    if (event?.outcome !== 'received') return;
    await tx.payments.endEvent(
      id,
      'received',
      error instanceof DomainError ? error.code : NOT_CARRIED_OUT,
      event.orderId,
    );
    await deps.events.emit(tx, 'payment.event_failed', { eventId: id });
  });
}

/** Why an event stands still, where no code says more; the log does. */
const NOT_CARRIED_OUT = 'NOT_CARRIED_OUT';

/**
 * Has an event tried again that could not be carried out. Throws NOT_FOUND, CONFLICT where it was carried out or is
 * being tried.
 */
export function retryEvent(deps: PaymentDeps, ctx: SignedIn, id: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const event = await tx.payments.event(id);
    if (!event) throw new DomainError('NOT_FOUND');
    if (!(await tx.payments.reopenEvent(id))) throw new DomainError('CONFLICT');
    await enqueueEvent(deps, tx, id);
    await writeAudit(tx, deps, ctx, {
      action: 'payments.retry',
      target: id,
      before: { reason: event.reason },
      after: { type: event.type, order: event.orderId },
    });
  });
}
