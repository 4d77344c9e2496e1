import * as z from 'zod/mini';
import { line, wholeNumber } from './primitives.ts';

/** The largest amount of one adjustment. */
export const ADJUSTMENT_MAX = 1_000_000_000;

/** What a caller names an adjustment by: an order, an invoice. */
const reference = z.string().check(z.regex(/^[\x21-\x7e]{1,100}$/, 'INVALID'));

/**
 * An adjustment: credits added (`in`) or removed (`out`), and the reason, which the user can read. With a `reference`
 * it happens once for its caller, however often and however late it is sent.
 */
export const adjustmentInput = z.strictObject({
  direction: z.enum(['in', 'out'], 'INVALID'),
  amount: wholeNumber(1, ADJUSTMENT_MAX),
  reason: line(3, 200),
  reference: z.optional(reference),
});
