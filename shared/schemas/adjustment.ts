import * as z from 'zod/mini';
import { line, wholeNumber } from './primitives.ts';

/** The largest amount one adjustment gives or takes. */
export const ADJUSTMENT_MAX = 1_000_000_000;

/** Credits that staff give (`in`) or take (`out`), and why. The user reads the reason. */
export const adjustmentInput = z.strictObject({
  direction: z.enum(['in', 'out'], 'INVALID'),
  amount: wholeNumber(1, ADJUSTMENT_MAX),
  reason: line(3, 200),
});
