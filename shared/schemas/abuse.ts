import * as z from 'zod/mini';
import { lines, text } from './primitives.ts';

/** A user's note on a reward on hold, once: a few lines. */
export const appealInput = z.strictObject({ note: lines(1, 1000) });
/** Answer to the challenge before a command (behaviour 4.6), where one is asked for. */
export const challengeAnswer = z.optional(text(0, 8192));
