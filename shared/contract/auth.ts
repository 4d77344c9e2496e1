import * as z from 'zod/mini';
import {
  factorCodeInput,
  factorPasswordInput,
  factorProofInput,
  forgotInput,
  loginInput,
  registerInput,
  resetInput,
  requestVerificationInput,
} from '../schemas/account.ts';
import { id, isoTime, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';
import { menuLink } from './redirect-links.ts';
import { ssoButton } from './sso.ts';

const info = z.record(z.string(), z.nullable(z.union([z.string(), z.number(), z.boolean()])));
const amounts = z.record(z.string(), z.number());

/** The session answer (specification, sections 3 and 7). Always HTTP 200; a failed session has success false and a code. */
export const session = group({
  get: {
    method: 'GET',
    path: '/api/user/session',
    access: 'open',
    fresh: true,
    waiting: true,
    errors: ['SESSION_EXPIRED', 'TW0_FA_BLOCKED', 'CONFLICT'],
    response: z.object({
      user_info: info,
      billing: amounts,
      stats: amounts,
      permissions: z.array(z.string()),
      /** A member of staff views as this user; absent: it is the user’s own session. */
      viewing: z.optional(z.object({ until: isoTime })),
      /** Links that the host added to the navigation; absent: none. */
      menu: z.optional(z.array(menuLink)),
      /** Unread announcements, and the urgent ones that were not put away; absent: none. */
      announcements: z.optional(
        z.object({ unread: z.int(), urgent: z.array(z.object({ id, title: z.string(), summary: z.string() })) }),
      ),
    }),
  },
});

export const auth = group({
  /**
   * What the pages before the log-in need: whether registration is open, mail verification on, e-mail can be sent, a
   * set-up or reset token good.
   */
  options: {
    method: 'GET',
    path: '/api/auth/options',
    query: z.object({
      setup: z.optional(text(0, 200)),
      reset_token: z.optional(text(0, 200)),
      ref: z.optional(text(0, 200)),
    }),
    access: 'open',
    errors: [],
    response: z.object({
      registration: z.boolean(),
      verification: z.boolean(),
      sends_mail: z.boolean(),
      setup_valid: z.boolean(),
      reset_valid: z.boolean(),
      empty: z.boolean(),
      /** The domain that passkeys belong to; null where there are none. */
      passkey_domain: z.nullable(z.string()),
      /** What `ref` is; `off` while there are no referrals. */
      referral: z.enum(['off', 'none', 'known', 'unknown']),
      /** Services that can be signed in with. */
      providers: z.array(ssoButton),
    }),
  },
  register: {
    method: 'POST',
    path: '/api/auth/register',
    body: registerInput,
    access: 'open',
    limit: 'register',
    errors: [
      'REGISTRATION_DISABLED',
      'SETUP_LINK_INVALID',
      'SETUP_DONE',
      'VALIDATION_FAILED',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'CHALLENGE_UNAVAILABLE',
    ],
    /**
     * `signed_in`: a session was opened. With verification on, the answer is the same whether or not the address was
     * taken.
     */
    response: z.object({ signed_in: z.boolean(), referral: z.enum(['none', 'known', 'unknown']) }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    body: loginInput,
    access: 'open',
    limit: 'login',
    errors: [
      'LOGIN_FAILED',
      'ACCOUNT_BANNED',
      'RATE_LIMITED',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'CHALLENGE_UNAVAILABLE',
    ],
    response: z.object({ second_factor: z.boolean() }),
  },
  logout: { method: 'POST', path: '/api/auth/logout', access: 'open', waiting: true, errors: [] },
  verify: {
    method: 'POST',
    path: '/api/auth/verify',
    body: z.strictObject({ token: text(1, 200) }),
    access: 'open',
    limit: 'login',
    errors: ['VERIFY_LINK_INVALID'],
  },
  resend: {
    method: 'POST',
    path: '/api/auth/verify/resend',
    access: 'signed-in',
    settingUp: true,
    limit: 'mail',
    errors: ['ALREADY_VERIFIED', 'RESEND_TOO_SOON'],
  },
  /**
   * Sends the confirmation e-mail again to a registered address. The answer is the same for every address (behaviour
   * 3.1).
   */
  requestVerification: {
    method: 'POST',
    path: '/api/auth/verify/request',
    body: requestVerificationInput,
    access: 'open',
    limit: 'reset',
    errors: [],
  },
  /** Sends an e-mail with a reset link. The answer is the same whether or not the account exists (attacks T36). */
  forgot: { method: 'POST', path: '/api/auth/forgot', body: forgotInput, access: 'open', limit: 'reset', errors: [] },
  /** Sets a new password with the link's token; every session of the user ends. */
  reset: {
    method: 'POST',
    path: '/api/auth/reset',
    body: resetInput,
    access: 'open',
    limit: 'login',
    errors: ['RESET_LINK_INVALID', 'VALIDATION_FAILED'],
  },
});

const codes = z.object({ recovery_codes: z.array(z.string()) });

/** The second factor (behaviour 3.5). */
export const twoFactor = group({
  get: {
    method: 'GET',
    path: '/api/auth/2fa',
    access: 'signed-in',
    settingUp: true,
    secret: true,
    errors: [],
    response: z.object({
      enabled: z.boolean(),
      /** Changes ask for it; who has none must have just signed in. */
      has_password: z.boolean(),
      recovery_left: z.number(),
      pending: z.nullable(z.object({ secret: z.string(), uri: z.string() })),
      /** Who sits there was confirmed a moment ago: changing it asks for nothing more. */
      confirmed: z.boolean(),
      /** That of the passkeys that may confirm it; null where the user has none. */
      passkey_domain: z.nullable(z.string()),
    }),
  },
  /** Whether the caller's session waits for its second factor, for the verification page. */
  waiting: {
    method: 'GET',
    path: '/api/auth/2fa/waiting',
    access: 'open',
    waiting: true,
    errors: [],
    /** `passkey_domain`: that of the passkeys that may take the place of a code; null where the user has none. */
    response: z.object({ waiting: z.boolean(), passkey_domain: z.nullable(z.string()) }),
  },
  verify: {
    method: 'POST',
    path: '/api/auth/2fa/verify',
    body: factorCodeInput,
    access: 'open',
    waiting: true,
    limit: 'login',
    errors: ['UNAUTHENTICATED', 'TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  startSetup: {
    method: 'POST',
    path: '/api/auth/2fa/setup',
    body: factorPasswordInput,
    access: 'signed-in',
    settingUp: true,
    verified: true,
    errors: ['ACCOUNT_UNVERIFIED', 'TWO_FACTOR_ON', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  confirm: {
    method: 'POST',
    path: '/api/auth/2fa/setup/confirm',
    body: factorCodeInput,
    access: 'signed-in',
    settingUp: true,
    verified: true,
    secret: true,
    response: codes,
    errors: ['ACCOUNT_UNVERIFIED', 'TWO_FACTOR_ON', 'TWO_FACTOR_SETUP_OVER', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  /**
   * The only GET that changes something (specification, section 7): cancels an unfinished set-up, and nothing else
   * (attacks T31).
   */
  cancelSetup: {
    method: 'GET',
    path: '/api/auth/2fa/setup/kill',
    access: 'signed-in',
    settingUp: true,
    format: 'redirect',
    errors: [],
  },
  disable: {
    method: 'POST',
    path: '/api/auth/2fa/disable',
    body: factorProofInput,
    access: 'signed-in',
    errors: ['TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  renewCodes: {
    method: 'POST',
    path: '/api/auth/2fa/recovery',
    body: factorProofInput,
    access: 'signed-in',
    secret: true,
    response: codes,
    errors: ['TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
});
