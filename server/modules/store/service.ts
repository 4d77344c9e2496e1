import { toCredits } from '#shared/credits.ts';
import type { ResourceKind, Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import type { Events } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { MOST_UNITS, onSale, unitsLeft } from './policy.ts';
import type { Purchase, StoreItem } from './ports.ts';

/** Purchases shown on the page, newest first. */
const PURCHASES = 50;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance'>;
  readonly limits: {
    raise(tx: Tx, userId: string, kind: ResourceKind, delta: number, max?: number): Promise<number>;
  };
  readonly events: Pick<Events, 'emit'>;
}
interface Order {
  readonly itemId: string;
  /** 1 to 1000. */
  readonly units: number;
  /** Credits a unit, as the buyer saw it. */
  readonly price: number;
}
interface PurchaseResult {
  readonly kind: ResourceKind;
  /** The user's limit of the kind now. */
  readonly limit: number;
  readonly balance: number;
  readonly total: number;
}
interface ShopItem extends StoreItem {
  readonly current: number;
  readonly used: number;
  readonly unitsLeft: number;
}
interface Shop {
  readonly balance: number;
  readonly items: readonly ShopItem[];
  readonly purchases: readonly Purchase[];
}
export type Store = ReturnType<typeof createStore>;

/** The store (behaviour 5.1): credits for higher limits. */
export function createStore(deps: Deps) {
  const { uow, clock, ledger } = deps;

  /** What is on sale, how much of it the caller may still buy, and what they bought. */
  function shop(ctx: SignedIn): Promise<Shop> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const limits = await tx.limits.of(userId);
      const used = await tx.limits.used(userId);
      const items = (await tx.store.items()).filter(onSale);
      return {
        balance: await ledger.balance(tx, `user:${userId}`),
        items: items.map((item) => shelf(item, limits, used)),
        purchases: await tx.store.purchasesOf(userId, PURCHASES),
      };
    });
  }

  /**
   * Buys units of an item: checks, charges, raises the limit and writes the purchase in one transaction, once an
   * Idempotency-Key. Throws UNAUTHENTICATED for a buyer who was banned or deleted while the request was on its way,
   * ITEM_UNAVAILABLE, VIP_ONLY, PRICE_CHANGED, LIMIT_REACHED, INSUFFICIENT_CREDITS, SPENDING_BLOCKED.
   */
  function buy(ctx: SignedIn, order: Order): Promise<PurchaseResult> {
    return runOnce({ uow, now: clock.now() }, ctx, (tx) => sell(deps, tx, ctx, order));
  }

  /**
   * Takes a purchase back: credits to the buyer, limit down by what was bought, once; the buyer is told. `ctx` null:
   * the system does it. With `buyerId` only a purchase of this user. Throws FORBIDDEN for who may not, and for
   * purchases of somebody of the caller's rank or above, NOT_FOUND, ALREADY_REFUNDED, and PURCHASE_IN_USE where the
   * limit would fall below what is in use.
   */
  function refund(ctx: SignedIn | null, purchaseId: string, buyerId?: string): Promise<void> {
    const once = (work: (tx: Tx) => Promise<void>) =>
      ctx ? runOnce({ uow, now: clock.now() }, ctx, work) : uow.run(work);
    return once(async (tx) => {
      if (ctx) assertMay(ctx, 'admin.users.edit');
      const purchase = await tx.store.lockPurchase(purchaseId);
      if (!purchase || (buyerId !== undefined && purchase.userId !== buyerId)) throw new DomainError('NOT_FOUND');
      if (purchase.refundedMs !== null) throw new DomainError('ALREADY_REFUNDED');
      const { userId, kind, quantity, total } = purchase;
      if (ctx) await assertOutranks(tx, ctx, (await tx.identity.findUser(userId))?.roleId ?? '');
      await tx.limits.lock(userId);
      const left = (await tx.limits.of(userId))[kind] - quantity;
      if (left < (await tx.limits.used(userId))[kind]) throw new DomainError('PURCHASE_IN_USE');
      const { id } = await ledger.transfer(tx, {
        kind: 'store.refund',
        reference: `store.refund:${purchaseId}`,
        subject: kind,
        ...(ctx?.actor ? { actor: ctx.actor.userId } : {}),
        postings: [{ source: 'system:store', destination: `user:${userId}`, amount: toCredits(total) }],
      });
      await deps.limits.raise(tx, userId, kind, -quantity);
      await tx.store.markRefunded(purchaseId, id, clock.now());
      await deps.events.emit(tx, 'purchase.refunded', { userId, purchaseId, kind, quantity, total }, ctx);
    });
  }

  return { shop, buy, refund };
}

async function sell(
  { clock, ids, ledger, limits }: Deps,
  tx: Tx,
  ctx: SignedIn,
  order: Order,
): Promise<PurchaseResult> {
  const { userId, permissions } = ctx.actor;
  // The session was looked at before: a ban that came since is one of the facts of this transaction (behaviour 3.9).
  if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
  const item = await tx.store.item(order.itemId);
  if (!onSale(item)) throw new DomainError('ITEM_UNAVAILABLE');
  if (item.vipOnly && !can(permissions, 'user.permission.vip')) throw new DomainError('VIP_ONLY');
  if (item.price !== order.price) throw new DomainError('PRICE_CHANGED');
  const { kind } = item;
  if (!Number.isSafeInteger(order.units) || order.units < 1 || order.units > MOST_UNITS)
    throw new DomainError('LIMIT_REACHED');
  const quantity = item.quantity * order.units;
  // Raised before it is paid for: so the limit itself says whether the units fit, and all of it is one transaction.
  const limit = await limits.raise(tx, userId, kind, quantity, item.limitTotal);
  const total = toCredits(item.price * order.units);
  const account = `user:${userId}` as const;
  const id = ids.uuid();
  const paid = await ledger.transfer(tx, {
    kind: 'store.buy',
    reference: `store:${id}`,
    subject: kind,
    actor: userId,
    postings: [{ source: account, destination: 'system:store', amount: total }],
  });
  await tx.store.addPurchase({
    id,
    userId,
    itemId: item.id,
    kind,
    units: order.units,
    quantity,
    priceEach: item.price,
    total,
    txId: paid.id,
    createdMs: clock.now(),
  });
  return { kind, limit, balance: paid.balances.get(account) ?? 0, total };
}

function shelf(item: StoreItem, limits: Resources, used: Resources): ShopItem {
  const current = limits[item.kind];
  return { ...item, current, used: used[item.kind], unitsLeft: unitsLeft(item, current) };
}
