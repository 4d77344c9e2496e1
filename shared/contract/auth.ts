import * as z from 'zod/mini';
import { forgotInput, loginInput, registerInput, resetInput } from '../schemas/account.ts';
import { group } from './endpoint.ts';

const text = z.record(z.string(), z.nullable(z.union([z.string(), z.number(), z.boolean()])));
const amounts = z.record(z.string(), z.number());

/** The session answer (specification, sections 3 and 7). Always HTTP 200; a failed session has success false and a code. */
export const session = group({
  get: {
    method: 'GET',
    path: '/api/user/session',
    access: 'open',
    fresh: true,
    errors: ['SESSION_EXPIRED', 'TW0_FA_BLOCKED'],
    response: z.object({ user_info: text, billing: amounts, stats: amounts, permissions: z.array(z.string()) }),
  },
});

export const auth = group({
  /** What the pages before the log-in need: whether registration is open, mail verification on, letters leave the house, a set-up or reset token good. */
  options: {
    method: 'GET',
    path: '/api/auth/options',
    query: z.object({ setup: z.optional(z.string().check(z.maxLength(200))), reset_token: z.optional(z.string().check(z.maxLength(200))) }),
    access: 'open',
    errors: [],
    response: z.object({
      registration: z.boolean(), verification: z.boolean(), sends_mail: z.boolean(), setup_valid: z.boolean(), reset_valid: z.boolean(), empty: z.boolean(),
    }),
  },
  register: {
    method: 'POST',
    path: '/api/auth/register',
    body: registerInput,
    access: 'open',
    limit: 'register',
    errors: ['REGISTRATION_DISABLED', 'SETUP_LINK_INVALID', 'SETUP_DONE', 'VALIDATION_FAILED'],
    /** `signed_in`: a session was opened. With verification on the answer is the same whether or not the address was free. */
    response: z.object({ signed_in: z.boolean() }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    body: loginInput,
    access: 'open',
    limit: 'login',
    errors: ['LOGIN_FAILED', 'ACCOUNT_BANNED', 'RATE_LIMITED'],
    response: z.object({ second_factor: z.boolean() }),
  },
  logout: { method: 'POST', path: '/api/auth/logout', access: 'open', errors: [] },
  verify: {
    method: 'POST',
    path: '/api/auth/verify',
    body: z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
    access: 'open',
    limit: 'login',
    errors: ['VERIFY_LINK_INVALID'],
  },
  resend: { method: 'POST', path: '/api/auth/verify/resend', access: 'signed-in', limit: 'mail', errors: ['ALREADY_VERIFIED', 'RESEND_TOO_SOON'] },
  /** Asks for a letter with a link. The answer is the same whether or not there is such an account (attacks T36). */
  forgot: { method: 'POST', path: '/api/auth/forgot', body: forgotInput, access: 'open', limit: 'reset', errors: [] },
  /** Sets a new password by the link; every session of the user ends. */
  reset: { method: 'POST', path: '/api/auth/reset', body: resetInput, access: 'open', limit: 'login', errors: ['RESET_LINK_INVALID', 'VALIDATION_FAILED'] },
});
