import * as z from 'zod/mini';
import { challengeAnswer } from './abuse.ts';
import { line, text, trimmedText } from './primitives.ts';

/** Username (behaviour 3.1): 3–32 letters, digits, dot, underscore, dash. Unique without case. */
export const username = z
  .string()
  .check(z.trim(), z.minLength(3), z.maxLength(32), z.regex(/^[A-Za-z0-9._-]*$/, 'INVALID_USERNAME'));
/** One part of an address before the @: dots stand between parts only. */
const LOCAL = '[^\\s@<>,;:"()\\[\\]\\\\.\\p{C}]+';
/** One part of a domain: letters of any writing and digits, dashes inside. */
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
/**
 * Longest address that game panels accept (panel contract, section 3), so that nobody registers who could not have an
 * account there.
 */
const EMAIL_MAX = 191;
/**
 * E-mail: one @, no spaces, controls or invisible characters, in a form that panels accept too. Delivery is the proof,
 * not the pattern. An empty one is REQUIRED.
 */
export const email = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(EMAIL_MAX),
    z.regex(
      new RegExp(`^(?:$|(?!.{65,}@)${LOCAL}(?:\\.${LOCAL})*@(?:${LABEL}\\.)+(?=..)${LABEL}$)`, 'u'),
      'INVALID_EMAIL',
    ),
  );
/**
 * A new password (behaviour 3.1): at least 10 characters; at most 256, so that hashing stays cheap. The server also
 * refuses common ones.
 */
export const newPassword = text(10, 256);

export const registerInput = z.strictObject({
  username,
  email,
  password: newPassword,
  first_name: line(1, 64),
  last_name: line(1, 64),
  terms: z.literal(true, 'TERMS_REQUIRED'),
  /** One-time set-up token of an empty installation (behaviour 3.2). */
  setup: z.optional(text(0, 200)),
  challenge: challengeAnswer,
  /** Referral code as typed (behaviour 4.4). A wrong one never blocks a registration, so it is not validated here. */
  referral: z.optional(text(0, 2000)),
});
export const loginInput = z.strictObject({
  /** Username or e-mail. */
  login: trimmedText(1, 254),
  password: text(1, 256),
  challenge: challengeAnswer,
});
/** A forgotten password's account: username or e-mail (behaviour 3.7). */
export const forgotInput = z.strictObject({ login: loginInput.shape.login });
/** The address that requests another e-mail with a link. */
export const requestVerificationInput = z.strictObject({ email });
/** A new password, with the token of an e-mail's link. */
export const resetInput = z.strictObject({ token: text(1, 200), password: newPassword });
export const passwordInput = z.strictObject({
  /** Left out by who has none yet. */
  current: z.optional(text(1, 256)),
  password: newPassword,
});
/** The password of the caller, before something that cannot be undone; who signs in elsewhere has none. */
export const ownPasswordInput = z.strictObject({ password: z.optional(text(1, 256)) });
/** Another address, and the password that proves who asks. */
export const emailChangeInput = z.strictObject({ email, password: z.optional(text(1, 256)) });
/** The token of a link that confirms an address or takes it back. */
export const emailLinkInput = z.strictObject({ token: text(1, 200) });

const factorCode = trimmedText(1, 40);
/** Left out by who has none. */
const ownPassword = z.optional(text(1, 256));
/** A code of the authenticator app, or a recovery code (behaviour 3.5). */
export const factorCodeInput = z.strictObject({ code: factorCode });
/** The password of the caller, before a second factor is set up. */
export const factorPasswordInput = z.strictObject({ password: ownPassword });
/** Both: to turn a factor off, or for new recovery codes. A session that was just confirmed needs neither. */
export const factorProofInput = z.strictObject({ password: z.optional(ownPassword), code: z.optional(factorCode) });
