import * as z from 'zod/mini';
import { isLoopback } from '../sso.ts';
import { registerInput } from './account.ts';
import { id } from './primitives.ts';

/** What a provider sends back: its characters are its own, its length is bounded. */
const providerText = (max: number) =>
  z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^[\x21-\x7e]+$/, 'INVALID'));

/** Which provider somebody signs in with or links. */
export const ssoStartInput = z.strictObject({ provider: id });
/**
 * The way back from a provider's consent page. `iss`: who answers, where a provider says so (RFC 9207). Codes of some
 * providers are tokens and long.
 */
export const ssoReturnInput = z.strictObject({
  code: providerText(4096),
  state: providerText(200),
  iss: z.optional(providerText(500)),
});

const { username, email, first_name, last_name, terms, challenge, referral } = registerInput.shape;
/** What is missing where an account is made through a provider. The address is asked for where none was proven. */
export const ssoRegisterInput = z.strictObject({
  username,
  email: z.optional(email),
  first_name,
  last_name,
  terms,
  challenge,
  referral,
});

/**
 * Whether a text is an address that a provider may have: HTTPS, or HTTP on this machine; nothing in it that would be
 * sent along or lost.
 */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.hostname === '' || url.username !== '' || url.password !== '' || /[?#@]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** A provider's own name, which is an address. It is compared letter by letter, so it stays as it was typed. */
export const issuerInput = z.string().check(
  z.trim(),
  z.maxLength(300),
  z.refine((text) => text === '' || isIssuer(text), 'INVALID'),
);
/** What an application is known by; empty where it is known already or needs none. */
export const clientSecretInput = z.optional(
  z.string().check(z.trim(), z.maxLength(500), z.regex(/^[\x20-\x7e]*$/, 'INVALID')),
);
/** Scopes, set apart by spaces; empty: those that the product asks for by itself. */
export const scopesInput = z
  .string()
  .check(z.trim(), z.maxLength(255), z.regex(/^[\x21\x23-\x5b\x5d-\x7e ]*$/, 'INVALID'));
