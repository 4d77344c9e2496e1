import * as z from 'zod/mini';
import { LINK_PROVIDERS } from '../link-providers.ts';
import { challengeAnswer } from './abuse.ts';
import { text } from './primitives.ts';

/** The provider of the link to start. */
export const linkStartInput = z.strictObject({
  provider: z.enum(LINK_PROVIDERS, 'INVALID'),
  challenge: challengeAnswer,
});

/**
 * What the return address carries: the claim's token, and the provider's proof where it gives one. The provider checks
 * its form.
 */
export const linkReturnInput = z.strictObject({
  claim: text(1, 200),
  proof: z.optional(text(0, 500)),
});
