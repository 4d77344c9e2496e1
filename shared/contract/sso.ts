import * as z from 'zod/mini';
import { ssoRegisterInput, ssoReturnInput, ssoStartInput } from '../schemas/sso.ts';
import { id } from '../schemas/primitives.ts';
import { SSO_FAULTS } from '../sso.ts';
import { group } from './endpoint.ts';

/** A service that people can sign in with, as its button shows it. */
export const ssoButton = z.object({ id: z.string(), name: z.string(), icon: z.string() });
export type SsoButton = z.infer<typeof ssoButton>;

/** What staff do with a provider besides its rows. */
export const adminSsoTest = group({
  test: {
    method: 'POST',
    path: '/api/admin/sso-providers/:id/test',
    summary: 'Test a sign-in provider',
    description: 'Nothing of its application is sent. Null where all is well.',
    params: z.object({ id }),
    access: 'admin.sso.providers.edit',
    limit: 'check',
    errors: ['NOT_FOUND'],
    /** `cause`: what the failure is called, for whoever looks for it. */
    response: z.object({ fault: z.nullable(z.object({ fault: z.enum(SSO_FAULTS), cause: z.nullable(z.string()) })) }),
  },
});

/** Signing in with services elsewhere (behaviour 3.6). Everything belongs to the browser that began it (attacks T33). */
export const sso = group({
  start: {
    method: 'POST',
    path: '/api/auth/sso/start',
    summary: 'Start signing in with a provider',
    description: 'Answers with the address of the provider’s consent page.',
    body: ssoStartInput,
    access: 'open',
    limit: 'login',
    errors: ['FEATURE_DISABLED', 'SSO_UNAVAILABLE'],
    response: z.object({ url: z.string() }),
  },
  finish: {
    method: 'POST',
    path: '/api/auth/sso/finish',
    summary: 'Finish signing in with a provider',
    description: '`register`: nobody is linked to that account, and this browser may create one.',
    body: ssoReturnInput,
    access: 'open',
    limit: 'login',
    errors: [
      'FEATURE_DISABLED',
      'LINK_STATE_INVALID',
      'SSO_REFUSED',
      'SSO_UNAVAILABLE',
      'LOGIN_FAILED',
      'ACCOUNT_BANNED',
      'REGISTRATION_DISABLED',
    ],
    response: z.object({ next: z.enum(['signed-in', 'second-factor', 'register']) }),
  },
  registration: {
    method: 'GET',
    path: '/api/auth/sso/registration',
    summary: 'Get what a registration by provider needs',
    description: 'Null where there is nothing.',
    access: 'open',
    secret: true,
    errors: [],
    response: z.object({
      registration: z.nullable(
        z.object({
          provider: z.string(),
          username: z.string(),
          /** Proven by the provider; null: it is asked for. */
          email: z.nullable(z.string()),
          first_name: z.string(),
          last_name: z.string(),
          /** The proven address has an account already: it can be logged in to, and linked there. */
          has_account: z.boolean(),
        }),
      ),
    }),
  },
  register: {
    method: 'POST',
    path: '/api/auth/sso/register',
    summary: 'Create an account by provider',
    body: ssoRegisterInput,
    access: 'open',
    limit: 'register',
    errors: [
      'REGISTRATION_DISABLED',
      'SSO_REGISTRATION_OVER',
      'IDENTITY_TAKEN',
      'VALIDATION_FAILED',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'CHALLENGE_UNAVAILABLE',
    ],
    /** `signed_in`: a session was opened; else the address has to be confirmed first. */
    response: z.object({ signed_in: z.boolean(), referral: z.enum(['none', 'known', 'unknown']) }),
  },
});
