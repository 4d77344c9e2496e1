import * as z from 'zod/mini';
import { isCurrency } from '../currencies.ts';
import { MAX_MINOR } from '../money.ts';
import { id, line, wholeNumber } from './primitives.ts';

/** Payment providers (behaviour 5.3). `manual`: staff confirm that the money was received. */
export const PROVIDERS = ['stripe', 'paypal', 'manual'] as const;
export type Provider = (typeof PROVIDERS)[number];

/**
 * States of an order. `created`: recorded, the gateway not asked or its answer lost; `pending`: waits for the payer or
 * the bank; then `paid`, and from there `part_refunded`, `refunded`, `disputed`; or `failed`, `expired`, `cancelled`,
 * in which a late payment still pays it.
 */
export const ORDER_STATES = [
  'created',
  'pending',
  'paid',
  'part_refunded',
  'refunded',
  'disputed',
  'failed',
  'expired',
  'cancelled',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** Maximum credits of one package or order. */
export const MAX_ORDER_CREDITS = 1_000_000_000;

/** Code of a currency that amounts can be in. */
export const currency = z
  .string()
  .check(z.trim(), z.toUpperCase(), z.minLength(1, 'REQUIRED'), z.refine(isCurrency, 'INVALID'));

/**
 * An order: a package, or a custom amount, with the terms that were shown; if those differ from what would be charged
 * now, it is refused with PRICE_CHANGED (attacks T11).
 */
export const orderInput = z.strictObject({
  provider: z.enum(PROVIDERS),
  /** Absent: a custom amount. */
  package_id: z.optional(id),
  /** What is charged, tax included, in minor units. */
  price_minor: wholeNumber(1, MAX_MINOR),
  currency: z.string().check(z.refine(isCurrency, 'INVALID')),
  /** Total credits, bonus included; for a custom amount, by the rate that was shown. */
  credits: z.optional(wholeNumber(1, 2 * MAX_ORDER_CREDITS)),
  /** For a custom amount: the rate that was shown. */
  rate: z.optional(wholeNumber(1, 1_000_000)),
});

export const reasonInput = z.strictObject({ reason: line(3, 200) });
/** Credits a payment whose order is unknown here. */
export const creditInput = z.strictObject({
  /** Username or address; empty: the user that the payment names. */
  user: line(0, 254),
  credits: wholeNumber(1, MAX_ORDER_CREDITS),
  reason: line(3, 200),
});
export const refundInput = z.strictObject({
  /** Minor units of the order's currency. */
  amount: wholeNumber(1, MAX_MINOR),
  reason: line(3, 200),
});
