import * as z from 'zod/mini';
import { emailChangeInput, emailLinkInput } from '../schemas/account.ts';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** The address of an account (behaviour 3.8): asked for with the password, changed and given back by links. */
export const accountEmail = group({
  get: {
    method: 'GET',
    path: '/api/account/email',
    summary: 'Get your e-mail address and a pending change',
    access: 'signed-in',
    errors: [],
    response: z.object({
      email: z.string(),
      /** The address that waits for its link; null: none. */
      pending: z.nullable(z.object({ email: z.string(), expires_at: isoTime })),
      /** Whether the host sends e-mails; if not, the owner reads links in the outbox. */
      sends_mail: z.boolean(),
    }),
  },
  request: {
    method: 'POST',
    path: '/api/account/email',
    summary: 'Change your e-mail address',
    description: 'Sends a link to the new address. The answer is the same whether or not it has an account.',
    body: emailChangeInput,
    access: 'signed-in',
    limit: 'mail',
    errors: ['VALIDATION_FAILED', 'RESEND_TOO_SOON', 'RATE_LIMITED'],
  },
  cancel: {
    method: 'DELETE',
    path: '/api/account/email',
    summary: 'Cancel a change of your e-mail address',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  confirm: {
    method: 'POST',
    path: '/api/auth/email/confirm',
    summary: 'Confirm a new e-mail address',
    body: emailLinkInput,
    access: 'open',
    limit: 'login',
    errors: ['EMAIL_LINK_INVALID'],
  },
  undo: {
    method: 'POST',
    path: '/api/auth/email/undo',
    summary: 'Undo a change of an e-mail address',
    body: emailLinkInput,
    access: 'open',
    limit: 'login',
    errors: ['EMAIL_LINK_INVALID'],
  },
});
