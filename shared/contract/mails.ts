import * as z from 'zod/mini';
import { MAIL_STATES } from '../mails.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { id, isoTime, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';
import { mailPreview } from './mail-templates.ts';

const one = z.object({ id });
const row = z.object({
  id,
  created_at: isoTime,
  /** Username; null: their account is gone, or the mail is for nobody's account. */
  username: z.nullable(z.string()),
  address: z.string(),
  /** Name of the template. */
  template: z.string(),
  locale: z.string(),
  /** Null where it would show a code that only the mailbox may show. */
  subject: z.nullable(z.string()),
  state: z.enum(MAIL_STATES),
  attempts: z.int(),
  tried_at: z.nullable(isoTime),
  sent_at: z.nullable(isoTime),
  /** The mail server's words on the last try. */
  error: z.nullable(z.string()),
  reply_code: z.nullable(z.int()),
  /** The mail server refused the address for good. */
  bounced: z.boolean(),
  can_cancel: z.boolean(),
  can_resend: z.boolean(),
});
export type OutboxRow = z.infer<typeof row>;

/** The outbox (behaviour 8.5): what became of each e-mail. */
export const adminMails = group({
  list: {
    method: 'GET',
    path: '/api/admin/mails',
    summary: 'List the outbox',
    query: z.object({
      state: z.optional(z.enum(MAIL_STATES)),
      template: z.optional(text(0, 100)),
      /** The beginning of an address, or a whole username. */
      q: z.optional(text(0, 100)),
      before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))),
    }),
    access: 'admin.mails.list',
    errors: [],
    response: z.object({
      rows: z.array(row),
      /** Where the next page begins; null: there is none. */
      older: z.nullable(z.string()),
      /** Of the last seven days. `waiting`: those under way as well. */
      counts: z.object({
        waiting: z.int(),
        sent: z.int(),
        failed: z.int(),
        unknown: z.int(),
        kept: z.int(),
      }),
      /** Whether there is a mail server. */
      sends_mail: z.boolean(),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/mails/:id',
    summary: 'Get an e-mail of the outbox',
    params: one,
    access: 'admin.mails.list',
    errors: ['NOT_FOUND'],
    response: z.object({
      mail: row,
      message_id: z.string(),
      /** What stands in it, links without what opens them; null as `subject` is. */
      preview: z.nullable(mailPreview),
      /** Whether there is a mail server: without one nothing is sent again. */
      sends_mail: z.boolean(),
    }),
  },
  cancel: {
    method: 'POST',
    path: '/api/admin/mails/:id/cancel',
    summary: 'Cancel an e-mail',
    description: 'Only while it waits.',
    params: one,
    access: 'admin.mails.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'MAIL_NOT_WAITING'],
  },
  resend: {
    method: 'POST',
    path: '/api/admin/mails/:id/resend',
    summary: 'Send an e-mail again',
    description: 'Only where it did not arrive.',
    params: one,
    access: 'admin.mails.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'MAIL_NOT_RESENDABLE'],
  },
  resendMany: {
    method: 'POST',
    path: '/api/admin/mails/resend',
    summary: 'Send several e-mails again',
    body: z.strictObject({ ids: z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(50, 'TOO_LONG')) }),
    access: 'admin.mails.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ done: z.int(), refused: z.int() }),
  },
});
