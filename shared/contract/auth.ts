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
    summary: 'Get the session',
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
  options: {
    method: 'GET',
    path: '/api/auth/options',
    summary: 'Get what the log-in pages offer',
    description:
      'Whether registration is open, confirmation is on, e-mail can be sent, and whether a set-up or reset token is good.',
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
    summary: 'Create an account',
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
    summary: 'Log in',
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
  logout: { method: 'POST', path: '/api/auth/logout', summary: 'Log out', access: 'open', waiting: true, errors: [] },
  verify: {
    method: 'POST',
    path: '/api/auth/verify',
    summary: 'Confirm an e-mail address',
    body: z.strictObject({ token: text(1, 200) }),
    access: 'open',
    limit: 'login',
    errors: ['VERIFY_LINK_INVALID'],
  },
  resend: {
    method: 'POST',
    path: '/api/auth/verify/resend',
    summary: 'Send the confirmation e-mail again',
    access: 'signed-in',
    settingUp: true,
    limit: 'mail',
    errors: ['ALREADY_VERIFIED', 'RESEND_TOO_SOON'],
  },
  requestVerification: {
    method: 'POST',
    path: '/api/auth/verify/request',
    summary: 'Request a confirmation e-mail',
    description: 'The answer is the same for every address.',
    body: requestVerificationInput,
    access: 'open',
    limit: 'reset',
    errors: [],
  },
  forgot: {
    method: 'POST',
    path: '/api/auth/forgot',
    summary: 'Request a password reset',
    description: 'Sends an e-mail with a link. The answer is the same whether or not the account exists.',
    body: forgotInput,
    access: 'open',
    limit: 'reset',
    errors: [],
  },
  reset: {
    method: 'POST',
    path: '/api/auth/reset',
    summary: 'Set a new password with a reset link',
    description: 'Every session of the user ends.',
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
    summary: 'Get the state of two-factor authentication',
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
  waiting: {
    method: 'GET',
    path: '/api/auth/2fa/waiting',
    summary: 'Check whether a second factor is awaited',
    access: 'open',
    waiting: true,
    errors: [],
    /** `passkey_domain`: that of the passkeys that may take the place of a code; null where the user has none. */
    response: z.object({ waiting: z.boolean(), passkey_domain: z.nullable(z.string()) }),
  },
  verify: {
    method: 'POST',
    path: '/api/auth/2fa/verify',
    summary: 'Pass the second factor by code',
    body: factorCodeInput,
    access: 'open',
    waiting: true,
    limit: 'login',
    errors: ['UNAUTHENTICATED', 'TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  startSetup: {
    method: 'POST',
    path: '/api/auth/2fa/setup',
    summary: 'Start two-factor set-up',
    body: factorPasswordInput,
    access: 'signed-in',
    settingUp: true,
    verified: true,
    errors: ['ACCOUNT_UNVERIFIED', 'TWO_FACTOR_ON', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  confirm: {
    method: 'POST',
    path: '/api/auth/2fa/setup/confirm',
    summary: 'Turn two-factor authentication on',
    body: factorCodeInput,
    access: 'signed-in',
    settingUp: true,
    verified: true,
    secret: true,
    response: codes,
    errors: ['ACCOUNT_UNVERIFIED', 'TWO_FACTOR_ON', 'TWO_FACTOR_SETUP_OVER', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  cancelSetup: {
    method: 'GET',
    path: '/api/auth/2fa/setup/kill',
    summary: 'Cancel an unfinished two-factor set-up',
    description: 'The only GET that changes something: cancels an unfinished set-up, and nothing else.',
    access: 'signed-in',
    settingUp: true,
    format: 'redirect',
    errors: [],
  },
  disable: {
    method: 'POST',
    path: '/api/auth/2fa/disable',
    summary: 'Turn two-factor authentication off',
    body: factorProofInput,
    access: 'signed-in',
    errors: ['TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  renewCodes: {
    method: 'POST',
    path: '/api/auth/2fa/recovery',
    summary: 'Make new recovery codes',
    body: factorProofInput,
    access: 'signed-in',
    secret: true,
    response: codes,
    errors: ['TWO_FACTOR_OFF', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  },
});
