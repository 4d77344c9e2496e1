import * as z from 'zod/mini';
import { TOKEN_SCOPES } from '../token-scopes.ts';
import { line, lines, wholeNumber } from './primitives.ts';

/** Longest life of a token that has an end, in days. */
const DAYS_MAX = 3650;

/** What a token is made from (behaviour 3.8). */
export const createTokenInput = z.strictObject({
  /** What it is for. */
  name: line(1, 64),
  /** Null: it has no end. */
  expires_in_days: z.nullable(wholeNumber(1, DAYS_MAX)),
  /** Where it may be used from: addresses and networks, apart by spaces, commas or lines. Empty: from everywhere. */
  addresses: lines(0, 1000),
  scopes: z.array(z.enum(TOKEN_SCOPES, 'UNKNOWN')).check(z.minLength(1, 'REQUIRED'), z.maxLength(100, 'TOO_LONG')),
});
export type CreateTokenInput = z.infer<typeof createTokenInput>;
