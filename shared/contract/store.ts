import * as z from 'zod/mini';
import { RESOURCE_KINDS } from '../constants.ts';
import { amount, id, isoTime, wholeNumber } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const kind = z.enum(RESOURCE_KINDS);

export const store = group({
  items: {
    method: 'GET',
    path: '/api/store',
    summary: 'See the store',
    access: 'signed-in',
    flag: 'store_enabled',
    errors: [],
    response: z.object({
      balance: z.int(),
      items: z.array(
        z.object({
          id: z.string(),
          kind,
          /** Amount one unit adds: MB, percent or count. */
          quantity: z.int(),
          price: amount,
          /** The user's limit, its usage, and the maximum that the store sells up to. */
          current: z.int(),
          used: z.int(),
          limit: z.int(),
          vip_only: z.boolean(),
          /** Maximum units this user may buy now by the limit (not by the balance). */
          units_left: z.int(),
        }),
      ),
      purchases: z.array(
        z.object({ id: z.string(), kind, quantity: z.int(), total: amount, at: isoTime, refunded: z.boolean() }),
      ),
    }),
  },
  buy: {
    method: 'POST',
    path: '/api/store/buy',
    summary: 'Buy a store item',
    /** `price` is the unit price that was shown; another price now is refused with PRICE_CHANGED (attacks T11). */
    body: z.strictObject({ item_id: id, units: wholeNumber(1, 1000), price: wholeNumber(0, 1_000_000_000) }),
    access: 'signed-in',
    verified: true,
    flag: 'store_enabled',
    idempotent: true,
    errors: [
      'INSUFFICIENT_CREDITS',
      'LIMIT_REACHED',
      'ITEM_UNAVAILABLE',
      'PRICE_CHANGED',
      'VIP_ONLY',
      'SPENDING_BLOCKED',
      'ACCOUNT_FROZEN',
      'ACCOUNT_UNVERIFIED',
    ],
    response: z.object({ kind, limit: z.int(), balance: z.int(), total: amount }),
  },
});
