import { DomainError } from '#shared/errors.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { gatewayOf, PAYMENT_JOBS, tellAdmins, type PaymentDeps } from './deps.ts';
import { furthest, isWaiting } from './policy.ts';
import type { EventOutcome, Notice, Order, RawNotice, StoredEvent } from './ports.ts';
import { credit, settle } from './settle.ts';

/**
 * Takes a notice of a gateway: proves it over its raw bytes, records it once, and lets a job carry it out. What is recorded, or was before,
 * is answered at once, as gateways ask for. Throws NOT_FOUND (the gateway is not set up), SIGNATURE_INVALID, GATEWAY_UNAVAILABLE (it
 * cannot be proven now and is to be sent again).
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
      id, provider, ...event, orderId: null, outcome: ignored ? 'ignored' : 'received', reason: null, receivedMs: deps.clock.now(),
    });
    if (added && !ignored) await enqueue(tx, deps.ids, deps.clock, { kind: PAYMENT_JOBS.event, payload: { id }, uniqueKey: `payments.event:${id}`, maxAttempts: EVENT_TRIES });
    return added;
  });
  if (fresh && ignored) deps.log.info('payments.event_ignored', { provider, type: event.type });
}

/** Tries of an event, over two days: its gateway may be away when it is carried out. */
const EVENT_TRIES = 48;

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

/** The order a notice is about: named by it, or found by the gateway's own references; only in the end the gateway is asked. */
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
  if (!order) return { outcome: 'unknown', orderId: null };
  const orderId = order.id;
  switch (notice.kind) {
    case 'paid': {
      const result = await credit(deps, tx, order, notice, gatewayOf(deps, order.provider)?.ours(notice) ?? false);
      return result.kind === 'mismatch' ? { outcome: 'mismatch', reason: result.reason, orderId } : { outcome: 'applied', orderId };
    }
    case 'look':
    case 'approved': {
      const kind = notice.kind === 'look' ? PAYMENT_JOBS.sync : PAYMENT_JOBS.capture;
      await enqueue(tx, deps.ids, deps.clock, { kind, payload: { orderId }, uniqueKey: `${kind}:${orderId}`, maxAttempts: EVENT_TRIES });
      return { outcome: 'applied', orderId };
    }
    default:
      return { outcome: await ended(deps, tx, order, notice.kind), orderId };
  }
}

/** An order that waits for the bank, or that nobody will pay any more. One that is paid stays so: notices come in any order. */
async function ended(deps: PaymentDeps, tx: Tx, order: Order, kind: 'waiting' | 'failed' | 'expired' | 'ignored'): Promise<EventOutcome> {
  if (kind === 'ignored' || !isWaiting(order.state)) return 'ignored';
  const now = deps.clock.now();
  await tx.payments.patchOrder(order.id, kind === 'waiting' ? { state: 'pending', payUrl: null } : { state: kind, payUrl: null, lookMs: null }, now);
  tx.touch(`user:${order.userId}`);
  return 'applied';
}

async function disputed(deps: PaymentDeps, tx: Tx, event: StoredEvent, notice: Extract<Notice, { kind: 'dispute' }>, order: Order | null): Promise<Ended> {
  const { disputeId, paymentRef, amount, currency, state } = notice;
  const said = { provider: event.provider, disputeId, paymentRef, amount, currency, state, updatedMs: deps.clock.now() };
  const known = await tx.payments.lockDispute(said);
  const now = furthest(known.state, state);
  // What is behind what is known says nothing of the amount either.
  await tx.payments.saveDispute({ ...said, state: now, amount: now === state ? amount : known.amount });
  if (!order) return { outcome: 'waiting', orderId: null };
  await tellAdmins(deps, tx, 'paymentDispute', { order: order.id }, `${disputeId}:${state}`);
  await settle(deps, tx, order.id);
  return { outcome: 'applied', orderId: order.id };
}
