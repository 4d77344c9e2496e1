import * as z from 'zod/mini';
import { line } from './primitives.ts';

/** A code as typed; how it is read is the server's (behaviour 4.2). */
export const redeemInput = z.strictObject({ code: line(1, 64) });
