import * as z from 'zod/mini';
import { line, wholeNumber } from './primitives.ts';

/** The largest amount of one adjustment. */
export const ADJUSTMENT_MAX = 1_000_000_000;

/** An adjustment: credits added (`in`) or removed (`out`), and the reason, which the user can read. */
export const adjustmentInput = z.strictObject({
  direction: z.enum(['in', 'out'], 'INVALID'),
  amount: wholeNumber(1, ADJUSTMENT_MAX),
  reason: line(3, 200),
});
