import * as z from 'zod/mini';

/** What a provider sends back: any visible characters, of bounded length. */
const providerText = z.string().check(z.minLength(1), z.maxLength(512), z.regex(/^[\x21-\x7e]+$/, 'INVALID'));

/** The parameters of the redirect from a provider's consent page. */
export const linkInput = z.strictObject({ code: providerText, state: providerText });
