import type { Handlers } from '#server/http/implement.types.ts';
import type { Store } from '#server/modules/store/index.ts';
import type { store as contract } from '#shared/contract/store.ts';
import { iso } from '#shared/time.ts';

/** The store: the endpoints of behaviour 5.1. */
export function storeHandlers({ store }: { store: Store }): Handlers<typeof contract> {
  return {
    items: async (ctx) => {
      const shop = await store.shop(ctx);
      return {
        balance: shop.balance,
        items: shop.items.map((item) => ({
          id: item.id,
          kind: item.kind,
          quantity: item.quantity,
          price: item.price,
          current: item.current,
          used: item.used,
          limit: item.limitTotal,
          vip_only: item.vipOnly,
          units_left: item.unitsLeft,
        })),
        // Part of a statement, which is for its owner alone.
        purchases: (ctx.actor.viewer ? [] : shop.purchases).map(
          ({ id, kind, quantity, total, createdMs, refundedMs }) => ({
            id,
            kind,
            quantity,
            total,
            at: iso(createdMs),
            refunded: refundedMs !== null,
          }),
        ),
      };
    },
    buy: (ctx, { body }) => store.buy(ctx, { itemId: body.item_id, units: body.units, price: body.price }),
  };
}
