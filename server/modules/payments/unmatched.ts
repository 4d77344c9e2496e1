import { DomainError, fieldError } from '#shared/errors.ts';
import { creditsFor, MAX_MINOR, minorDigits, includedTax } from '#shared/money.ts';
import { can } from '#shared/permissions.ts';
import { MAX_ORDER_CREDITS } from '#shared/schemas/payment.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertAmount } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { gatewayOf, enqueueSync, type PaymentDeps } from './deps.ts';
import { newOrderCode } from './orders.ts';
import { UNKNOWN_ORDER } from './policy.ts';
import type { Order, Paid, StoredEvent } from './ports.ts';
import { creditPayment } from './credits.ts';

/** A payment whose order is not known here, as staff see it before they credit it. */
interface UnmatchedPayment {
  readonly event: StoredEvent;
  /** The user its metadata names; null where there is none of that id. */
  readonly user: { readonly id: string; readonly username: string } | null;
  /** What was paid; null where the gateway has to be asked and does not answer. */
  readonly paid: Paid | null;
  /** Credits that were sold for this money by what is on offer now; 0 where nothing fits. */
  readonly credits: number;
}
export interface CreditInput {
  /** Username or address of who gets the credits; empty: the user the payment names. */
  readonly user: string;
  readonly credits: number;
  readonly reason: string;
}

/**
 * What a gateway says was paid: by the event itself, or by its answer. Null where it does not answer, or knows of no
 * payment.
 */
async function readPayment(deps: PaymentDeps, { provider, content }: StoredEvent): Promise<Paid | null> {
  if (content.kind === 'paid') return content;
  const gateway = gatewayOf(deps, provider);
  if (content.kind !== 'check' || !gateway) return null;
  const found = await gateway.readStatus({ ...EMPTY_ORDER, provider, id: content.orderId ?? '', ref: content.ref });
  return found.kind === 'paid' && gateway.isOwnPayment(found.paid) && found.paid.orderId === content.orderId
    ? found.paid
    : null;
}

/** An order as it is before anything is known of it. */
const EMPTY_ORDER: Omit<Order, 'provider'> = {
  id: '',
  code: '',
  userId: '',
  state: 'pending',
  packageId: null,
  label: null,
  currency: '',
  amount: 0,
  tax: 0,
  taxRate: 0,
  credits: 0,
  bonus: 0,
  rate: null,
  locale: 'en',
  ref: null,
  paymentRef: null,
  payUrl: null,
  failure: null,
  creditedTx: null,
  clawedBack: 0,
  moves: 0,
  refunded: 0,
  revision: 0,
  checks: 0,
  nextCheckMs: null,
  createdMs: 0,
  expiresMs: null,
  paidMs: null,
};

async function getUnmatchedEvent(deps: PaymentDeps, id: string): Promise<StoredEvent> {
  const event = await deps.uow.read((tx) => tx.payments.event(id));
  if (!event) throw new DomainError('NOT_FOUND');
  if (event.outcome !== 'unknown' || event.reason !== UNKNOWN_ORDER) throw new DomainError('CONFLICT');
  return event;
}

/**
 * A payment of an unknown order, with whom it names and what it may be worth. Throws NOT_FOUND, CONFLICT where it is
 * settled.
 */
export async function viewUnmatchedPayment(deps: PaymentDeps, id: string): Promise<UnmatchedPayment> {
  const event = await getUnmatchedEvent(deps, id);
  const paid = await readPayment(deps, event);
  return deps.uow.read(async (tx) => {
    const found = paid?.userId ? await tx.identity.findUser(paid.userId) : null;
    const user = found && found.status !== 'deleted' ? { id: found.id, username: found.username } : null;
    return { event, user, paid, credits: paid ? await creditValue(deps, tx, paid) : 0 };
  });
}

async function creditValue({ settings }: PaymentDeps, tx: Tx, { amount, currency }: Paid): Promise<number> {
  const same = (await tx.payments.packages()).find((each) => each.priceMinor === amount && each.currency === currency);
  if (same) return same.credits + same.bonus;
  const values = settings.current();
  return currency === values.currency && amount > 0
    ? Math.min(MAX_ORDER_CREDITS, creditsFor({ minor: amount, currency }, values.payment_credits_per_unit))
    : 0;
}

/**
 * Credits a payment whose order is not known here: the order is recorded again under the id the payment carries, and
 * paid as any other, so that its receipt, refunds and disputes find it, and no second event pays it twice. Out: the
 * order's id. Throws NOT_FOUND, CONFLICT (settled, or its order is known by now), GATEWAY_UNAVAILABLE (the gateway has
 * to be asked and does not answer), VALIDATION_FAILED (nobody of that name), FORBIDDEN for who would pay themselves,
 * APPROVAL_REQUIRED.
 */
export async function creditUnmatchedPayment(
  deps: PaymentDeps,
  ctx: SignedIn,
  id: string,
  input: CreditInput,
): Promise<{ id: string }> {
  // Of a repeated request the answer of the first counts, although nothing is unknown any more.
  const asked = await deps.uow.read((tx) => tx.payments.event(id));
  const paid = asked?.outcome === 'unknown' ? await readPayment(deps, asked) : null;
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const event = await tx.payments.lockEvent(id);
    if (!event) throw new DomainError('NOT_FOUND');
    if (event.outcome !== 'unknown' || event.reason !== UNKNOWN_ORDER) throw new DomainError('CONFLICT');
    if (!paid) throw new DomainError('GATEWAY_UNAVAILABLE');
    assertAmount(ctx, deps.settings.current(), input.credits);
    const user = await receiver(tx, paid, input.user);
    if (user.id === ctx.actor.userId && !can(ctx.actor.permissions, 'admin.root')) throw new DomainError('FORBIDDEN');
    const order = await recordUnmatchedOrder(deps, tx, {
      event,
      paid,
      userId: user.id,
      locale: user.locale,
      credits: input.credits,
    });
    const result = await creditPayment(deps, tx, order, { ...paid, userId: user.id }, true);
    if (result.kind !== 'credited') throw new DomainError('CONFLICT');
    await tx.payments.endEvent(id, 'applied', null, order.id);
    // What was given back or disputed before the order was known.
    await enqueueSync(deps, tx, order.id);
    const { amount, currency } = paid;
    await writeAudit(tx, deps, ctx, {
      action: 'payments.credit',
      target: order.id,
      after: {
        userId: user.id,
        credits: input.credits,
        amount,
        currency,
        event: event.eventId,
        reason: input.reason,
      },
    });
    return { id: order.id };
  });
}

async function receiver(tx: Tx, paid: Paid, typed: string): Promise<{ id: string; username: string; locale: string }> {
  const user = typed === '' ? await tx.identity.findUser(paid.userId ?? '') : await tx.identity.findUserByLogin(typed);
  if (!user || user.status === 'deleted') throw fieldError('user', typed === '' ? 'REQUIRED' : 'UNKNOWN');
  return user;
}

/** Writes the order down that the payment names. Throws CONFLICT where it, its checkout or its payment is known. */
async function recordUnmatchedOrder(
  deps: PaymentDeps,
  tx: Tx,
  {
    event,
    paid,
    userId,
    locale,
    credits,
  }: { event: StoredEvent; paid: Paid; userId: string; locale: string; credits: number },
): Promise<Order> {
  const { provider } = event;
  const { orderId, amount, currency, ref, paymentRef } = paid;
  // The buyer's row is held from here on, so that of two events of one order the second finds it.
  await tx.payments.openOrders(userId);
  const known =
    (await tx.payments.order(orderId ?? '')) ??
    (await tx.payments.byRef(provider, ref)) ??
    (await tx.payments.byPayment(provider, paymentRef));
  if (orderId === null || known || amount < 1 || amount > MAX_MINOR || !Number.isSafeInteger(minorDigits(currency)))
    throw new DomainError('CONFLICT');
  const { tax_rate: taxRate } = deps.settings.current();
  const order: Order = {
    ...EMPTY_ORDER,
    provider,
    id: orderId,
    code: await newOrderCode(deps, tx),
    userId,
    locale,
    currency,
    amount,
    tax: includedTax(amount, taxRate),
    taxRate,
    credits,
    ref,
    createdMs: event.receivedMs,
  };
  await tx.payments.addOrder(order);
  return order;
}

/**
 * Takes a payment off the list that is none of ours (another installation shares the account). Throws NOT_FOUND,
 * CONFLICT where it is settled.
 */
export function dismissUnmatchedPayment(deps: PaymentDeps, ctx: SignedIn, id: string, reason: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const event = await tx.payments.lockEvent(id);
    if (!event) throw new DomainError('NOT_FOUND');
    if (event.outcome !== 'unknown' || event.reason !== UNKNOWN_ORDER) throw new DomainError('CONFLICT');
    await tx.payments.endEvent(id, 'unknown', null, null);
    await writeAudit(tx, deps, ctx, {
      action: 'payments.dismiss',
      target: id,
      after: { type: event.type, event: event.eventId, reason },
    });
  });
}
