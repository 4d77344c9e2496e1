import type * as z from 'zod/mini';
import { DomainError, fieldError } from '#shared/errors.ts';
import { creditsFor, includedTax } from '#shared/money.ts';
import { MAX_ORDER_CREDITS, type orderInput } from '#shared/schemas/payment.ts';
import { eightCharacterCode } from '#shared/readable-code.ts';
import { MINUTE } from '#shared/time.ts';
import { runOnce } from '../idempotency/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { gatewayOf, PAYMENT_JOBS, enqueueImmediateSync, type PaymentDeps } from './deps.ts';
import { isWaiting } from './policy.ts';
import type { Order } from './ports.ts';

export type OrderInput = z.output<typeof orderInput>;
interface PlacedOrder {
  readonly id: string;
  readonly payUrl: string | null;
}

/** When a gateway is first asked about an order whose event has not come. */
const FIRST_CHECK_MS = 5 * MINUTE;

/**
 * Places an order and opens it at its gateway. The order is recorded first, so that whatever becomes of the gateway's
 * answer, a payment finds it; the same Idempotency-Key opens the same checkout again. Throws ITEM_UNAVAILABLE,
 * PRICE_CHANGED, VALIDATION_FAILED, TOO_MANY_ORDERS, GATEWAY_REFUSED, GATEWAY_UNAVAILABLE.
 */
export async function createOrder(deps: PaymentDeps, ctx: SignedIn, input: OrderInput): Promise<PlacedOrder> {
  const { id } = await runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, (tx) =>
    recordOrder(deps, tx, ctx, input),
  );
  return openOrder(deps, id);
}

async function recordOrder(deps: PaymentDeps, tx: Tx, ctx: SignedIn, input: OrderInput): Promise<{ id: string }> {
  const { userId } = ctx.actor;
  const values = deps.settings.current();
  const open = await tx.payments.openOrders(userId);
  const wares = await getOrderItem(deps, tx, input);
  const offered =
    input.provider === 'manual' ? values.manual_payments_enabled : gatewayOf(deps, input.provider)?.ready();
  if (!offered || gatewayOf(deps, input.provider)?.accepts({ minor: wares.amount, currency: wares.currency }) === false)
    throw new DomainError('ITEM_UNAVAILABLE');
  if (open >= values.payment_open_orders) throw new DomainError('TOO_MANY_ORDERS');
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  await tx.payments.addOrder({
    id,
    code: await newOrderCode(deps, tx),
    userId,
    provider: input.provider,
    state: input.provider === 'manual' ? 'pending' : 'created',
    ...wares,
    tax: includedTax(wares.amount, values.tax_rate),
    taxRate: values.tax_rate,
    locale: ctx.locale,
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
    nextCheckMs: input.provider === 'manual' ? null : now + FIRST_CHECK_MS,
    createdMs: now,
    expiresMs: null,
    paidMs: null,
  });
  // Staff have to confirm it.
  if (input.provider === 'manual') tx.touch('attention');
  return { id };
}

/** A code for a new order that no other has. In: a transaction. */
export async function newOrderCode({ ids }: Pick<PaymentDeps, 'ids'>, tx: Tx): Promise<string> {
  for (;;) {
    const code = eightCharacterCode(BigInt(`0x${ids.hash(ids.token()).slice(0, 10)}`));
    if (!(await tx.payments.hasCode(code))) return code;
  }
}

type OrderItem = Pick<Order, 'packageId' | 'label' | 'currency' | 'amount' | 'credits' | 'bonus' | 'rate'>;

/** What is sold, by what holds now. What the buyer saw must be exactly that (attacks T11). */
async function getOrderItem(deps: PaymentDeps, tx: Tx, input: OrderInput): Promise<OrderItem> {
  const shown = { amount: input.price_minor, currency: input.currency };
  if (input.package_id !== undefined) {
    const found = await tx.payments.package(input.package_id);
    if (!found) throw new DomainError('ITEM_UNAVAILABLE');
    const { credits, bonus, currency } = found;
    if (shown.amount !== found.priceMinor || shown.currency !== currency || input.credits !== credits + bonus)
      throw new DomainError('PRICE_CHANGED');
    return { ...shown, packageId: found.id, label: found.name, credits, bonus, rate: null };
  }
  const values = deps.settings.current();
  const rate = values.payment_credits_per_unit;
  if (!values.payment_free_enabled) throw new DomainError('ITEM_UNAVAILABLE');
  if (shown.currency !== values.currency || input.rate !== rate) throw new DomainError('PRICE_CHANGED');
  const credits = creditsFor({ minor: shown.amount, currency: shown.currency }, rate);
  if (shown.amount < values.payment_min || credits < 1) throw fieldError('price_minor', 'TOO_SMALL');
  if (shown.amount > values.payment_max || credits > MAX_ORDER_CREDITS) throw fieldError('price_minor', 'TOO_LARGE');
  if (input.credits !== undefined && input.credits !== credits) throw new DomainError('PRICE_CHANGED');
  return { ...shown, packageId: null, label: null, credits, bonus: 0, rate };
}

/**
 * Opens a recorded order at its gateway. Of one that is open already it gives the address. Throws GATEWAY_REFUSED or
 * GATEWAY_UNAVAILABLE.
 */
async function openOrder(deps: PaymentDeps, id: string): Promise<PlacedOrder> {
  const order = await deps.uow.read((tx) => tx.payments.order(id));
  if (!order) throw new DomainError('NOT_FOUND');
  const gateway = gatewayOf(deps, order.provider);
  if (!gateway || order.state !== 'created') return { id, payUrl: order.payUrl };
  const page = `${deps.appUrl()}/store/orders/${id}`;
  const title = order.label ?? `${deps.settings.current().app_name} · ${order.credits + order.bonus}`;
  const opened = await gateway.open({ order, attempt: order.checks, title, returnUrl: page, cancelUrl: page });
  return deps.uow
    .run(async (tx) => {
      const locked = await tx.payments.lockOrder(id);
      if (!locked) throw new DomainError('NOT_FOUND');
      const now = deps.clock.now();
      tx.touch(`user:${order.userId}`);
      if (opened.kind === 'opened') {
        // Of two that opened it at once, the gateway gave both the same checkout.
        if (locked.state !== 'created') return { id, payUrl: locked.payUrl };
        const { ref, url, expiresMs } = opened;
        if (
          !(await tx.payments.patchOrder(
            id,
            { state: 'pending', ref, payUrl: url, expiresMs, checks: 0, nextCheckMs: now + FIRST_CHECK_MS },
            now,
          ))
        )
          throw new DomainError('GATEWAY_REFUSED');
        return { id, payUrl: url };
      }
      deps.log.warn('payments.not_opened', {
        order: id,
        provider: order.provider,
        kind: opened.kind,
        reason: opened.reason,
      });
      if (locked.state === 'created')
        await tx.payments.patchOrder(
          id,
          opened.kind === 'refused'
            ? { state: 'failed', failure: 'GATEWAY', nextCheckMs: null }
            : { checks: locked.checks + Number(opened.fresh) },
          now,
        );
      return opened.kind;
    })
    .then((result) => {
      if (typeof result === 'object') return result;
      throw new DomainError(result === 'refused' ? 'GATEWAY_REFUSED' : 'GATEWAY_UNAVAILABLE');
    });
}

async function lockOwnOrder(tx: Tx, { actor }: SignedIn, id: string): Promise<Order> {
  const order = await tx.payments.lockOrder(id);
  if (!order || order.userId !== actor.userId) throw new DomainError('NOT_FOUND');
  return order;
}

/** Asks the gateway about an own order, in the background. Throws NOT_FOUND. */
export function checkOrder({ uow, ids, clock }: PaymentDeps, ctx: SignedIn, id: string): Promise<void> {
  return uow.run(async (tx) => {
    const order = await lockOwnOrder(tx, ctx, id);
    if (order.ref !== null && order.creditedTx === null) await enqueueImmediateSync({ ids, clock }, tx, id);
  });
}

/** Gives up an own order that is not paid. Money that comes all the same still pays it. Throws NOT_FOUND, CONFLICT. */
export function cancelOrder({ uow, ids, clock }: PaymentDeps, ctx: SignedIn, id: string): Promise<void> {
  return uow.run(async (tx) => {
    const order = await lockOwnOrder(tx, ctx, id);
    if (!isWaiting(order.state)) throw new DomainError('CONFLICT');
    await tx.payments.patchOrder(id, { state: 'cancelled', payUrl: null }, clock.now());
    if (order.ref !== null)
      await enqueue(tx, ids, clock, {
        kind: PAYMENT_JOBS.close,
        payload: { orderId: id },
        uniqueKey: `payments.close:${id}`,
      });
    tx.touch(`user:${order.userId}`, 'attention');
  });
}
