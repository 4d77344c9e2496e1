import * as z from 'zod/mini';
import { line } from './primitives.ts';

/** A code as typed; the server normalises it (behaviour 4.2). */
export const redeemInput = z.strictObject({ code: line(1, 64) });
