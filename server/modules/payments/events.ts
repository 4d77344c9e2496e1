import { DomainError } from '#shared/errors.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import { writeAudit } from '../audit/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { EVENT_TRIES, gatewayOf, PAYMENT_JOBS, queueSync, type PaymentDeps } from './deps.ts';
import { isPaidStranger, isWaiting, newest, UNKNOWN_ORDER } from './policy.ts';
import type { EventOutcome, Notice, Order, RawNotice, StoredEvent } from './ports.ts';
import { credit, reconcileCredits } from './credits.ts';

/**
 * Takes a notice of a gateway: proves it over its raw bytes, records it once, and lets a job carry it out. What is
 * recorded, or was before, is answered at once, as gateways ask for. Throws NOT_FOUND (the gateway is not set up),
 * SIGNATURE_INVALID, GATEWAY_UNAVAILABLE (it cannot be proven now and is to be sent again).
 */
export async function takeNotice(deps: PaymentDeps, provider: Provider, notice: RawNotice): Promise<void> {
  const proof = (await gatewayOf(deps, provider)?.prove(notice)) ?? { kind: 'off' as const };
  if (proof.kind === 'off') throw new DomainError('NOT_FOUND');
  if (proof.kind === 'unavailable') throw new DomainError('GATEWAY_UNAVAILABLE');
  if (proof.kind === 'forged') {
    deps.log.warn('payments.forged', { provider, reason: proof.reason });
    throw new DomainError('SIGNATURE_INVALID');
  }
  const { event } = proof;
  const id = deps.ids.uuid();
  const ignored = event.notice.kind === 'ignored';
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
    if (added && !ignored) await queue(deps, tx, id);
    return added;
  });
  if (fresh && ignored) deps.log.info('payments.event_ignored', { provider, type: event.type });
}

/** Has a job carry a recorded event out. */
function queue({ ids, clock }: PaymentDeps, tx: Tx, id: string): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: PAYMENT_JOBS.event,
    payload: { id },
    uniqueKey: `${PAYMENT_JOBS.event}:${id}`,
    maxAttempts: EVENT_TRIES,
  });
}

type Ended = { readonly outcome: EventOutcome; readonly reason?: string; readonly orderId: string | null };

/** Carries out a recorded event. May run more than once. Throws where the gateway has to be asked and does not answer. */
export async function applyEvent(deps: PaymentDeps, id: string): Promise<void> {
  const event = await deps.uow.read((tx) => tx.payments.event(id));
  if (event?.outcome !== 'received') return;
  const { notice } = event;
  const orderId = await orderIdOf(deps, event.provider, notice);
  await deps.uow.run(async (tx) => {
    const order = orderId === null ? null : await tx.payments.lockOrder(orderId);
    const same = order?.provider === event.provider ? order : null;
    const now = await tx.payments.event(id);
    // Another runner may have done it while this one waited for the lock.
    if (now?.outcome !== 'received') return;
    const { outcome, reason, orderId: about } = await carryOut(deps, tx, event, same);
    await tx.payments.endEvent(id, outcome, reason ?? null, about);
    if (outcome === 'unknown') deps.log.info('payments.event_unknown', { provider: event.provider, type: event.type });
  });
}

/**
 * The order a notice is about: named by it, or found by the gateway's own references; only in the end the gateway is
 * asked.
 */
async function orderIdOf(deps: PaymentDeps, provider: Provider, notice: Notice): Promise<string | null> {
  if (notice.kind === 'ignored') return null;
  const where = notice.kind === 'dispute' ? { orderId: null, ref: null, paymentRef: notice.paymentRef } : notice;
  const known = await deps.uow.read(async (tx) => {
    const named = where.orderId === null ? null : await tx.payments.order(where.orderId);
    const byRef = named ?? (where.ref === null ? null : await tx.payments.byRef(provider, where.ref));
    return byRef ?? (where.paymentRef === null ? null : await tx.payments.byPayment(provider, where.paymentRef));
  });
  if (known || where.paymentRef === null || !['look', 'dispute'].includes(notice.kind)) return known?.id ?? null;
  return (await gatewayOf(deps, provider)?.orderOf(where.paymentRef)) ?? null;
}

async function carryOut(deps: PaymentDeps, tx: Tx, event: StoredEvent, order: Order | null): Promise<Ended> {
  const { notice } = event;
  if (notice.kind === 'dispute') return disputed(deps, tx, event, notice, order);
  if (!order) return stranger(deps, tx, event);
  const orderId = order.id;
  switch (notice.kind) {
    case 'paid': {
      const result = await credit(deps, tx, order, notice, gatewayOf(deps, order.provider)?.ours(notice) ?? false);
      return result.kind === 'mismatch'
        ? { outcome: 'mismatch', reason: result.reason, orderId }
        : { outcome: 'applied', orderId };
    }
    case 'look':
    case 'approved': {
      if (notice.kind === 'look') await queueSync(deps, tx, orderId);
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
      return { outcome: await ended(deps, tx, order, notice.kind), orderId };
  }
}

/**
 * An event about no order that is known here. Where money came that carries our names, somebody paid and nobody would
 * know (a copy of yesterday was put back): it stands on the list of problems, and staff are notified.
 */
async function stranger(deps: PaymentDeps, tx: Tx, { id, provider, notice }: StoredEvent): Promise<Ended> {
  if (!isPaidStranger(notice, (paid) => gatewayOf(deps, provider)?.ours(paid) === true))
    return { outcome: 'unknown', orderId: null };
  await deps.events.emit(tx, 'payment.unknown', { noticeId: id });
  return { outcome: 'unknown', reason: UNKNOWN_ORDER, orderId: null };
}

/**
 * An order that waits for the bank, or that nobody will pay any more. One that is paid stays so: notices come in any
 * order.
 */
async function ended(
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

async function disputed(
  deps: PaymentDeps,
  tx: Tx,
  event: StoredEvent,
  notice: Extract<Notice, { kind: 'dispute' }>,
  order: Order | null,
): Promise<Ended> {
  const { disputeId, paymentRef, amount, currency, state, atMs = event.receivedMs } = notice;
  const said = { provider: event.provider, disputeId, paymentRef, amount, currency, state, updatedMs: atMs };
  const known = await tx.payments.lockDispute(said);
  const now = { ...known, ...newest(known, { state, amount, updatedMs: atMs }) };
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
export function eventDead(deps: PaymentDeps, id: string, error: unknown): Promise<void> {
  return deps.uow.run(async (tx) => {
    const event = await tx.payments.event(id);
    if (event?.outcome !== 'received') return;
    await tx.payments.endEvent(
      id,
      'received',
      error instanceof DomainError ? error.code : NOT_CARRIED_OUT,
      event.orderId,
    );
    await deps.events.emit(tx, 'payment.notice_failed', { noticeId: id });
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
    if (!(await tx.payments.reviveEvent(id))) throw new DomainError('CONFLICT');
    await queue(deps, tx, id);
    await writeAudit(tx, deps, ctx, {
      action: 'payments.retry',
      target: id,
      before: { reason: event.reason },
      after: { type: event.type, order: event.orderId },
    });
  });
}
