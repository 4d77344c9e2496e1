import * as z from 'zod/mini';
import { LOCALES } from '../i18n/locales.ts';
import { MAIL_KINDS } from '../mails.ts';
import {
  audienceInput,
  campaignInput,
  mailKindsInput,
  ownMailContentInput,
  ownMailCreateInput,
  ownMailInput,
} from '../schemas/mail-template.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';
import { mailContent, mailPreview } from './mail-templates.ts';

const one = z.object({ id });
const locale = z.enum(LOCALES);
const kind = z.enum(MAIL_KINDS);
/** The token of a link in a mail. */
const byToken = z.object({ token: z.string().check(z.regex(/^[\w.-]{1,120}$/, 'INVALID')) });

/** The host's own mails (behaviour 8.5): written, looked at, sent to many. */
export const adminOwnMails = group({
  list: {
    method: 'GET',
    path: '/api/admin/own-mails',
    summary: 'List own mails',
    access: 'admin.mail.templates.list',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id,
          name: z.string(),
          kind,
          locales: z.array(locale),
          updated_at: isoTime,
          /** When it was last sent. */
          sent_at: z.nullable(isoTime),
          is_sending: z.boolean(),
        }),
      ),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/own-mails',
    summary: 'Create an own e-mail',
    body: ownMailCreateInput,
    access: 'admin.mail.templates.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ id: z.string() }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/own-mails/:id',
    summary: 'Get an own e-mail',
    params: one,
    query: z.object({ locale: z.optional(locale) }),
    access: 'admin.mail.templates.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      id,
      name: z.string(),
      kind,
      link: z.string(),
      locale,
      content: mailContent,
      revision: z.int(),
      updated_at: isoTime,
      updated_by: z.nullable(z.string()),
      /** The languages that it is written in. */
      locales: z.array(locale),
      variables: z.array(z.string()),
      preview: mailPreview,
    }),
  },
  save: {
    method: 'PATCH',
    path: '/api/admin/own-mails/:id',
    summary: 'Change an own e-mail',
    params: one,
    body: ownMailInput,
    access: 'admin.mail.templates.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
  preview: {
    method: 'POST',
    path: '/api/admin/own-mails/:id/preview',
    summary: 'Preview an own e-mail',
    params: one,
    body: ownMailContentInput,
    access: 'admin.mail.templates.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ preview: mailPreview }),
  },
  test: {
    method: 'POST',
    path: '/api/admin/own-mails/:id/test',
    summary: 'Send an own e-mail to yourself',
    params: one,
    body: ownMailContentInput,
    access: 'admin.mail.templates.edit',
    limit: 'mail',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    /** Of the outbox. */
    response: z.object({ mail: z.string() }),
  },
  dependants: {
    method: 'GET',
    path: '/api/admin/own-mails/:id/dependants',
    summary: 'Get what hangs on an own e-mail',
    params: one,
    access: 'admin.mail.templates.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ name: z.string(), campaigns: z.int() }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/own-mails/:id',
    summary: 'Delete an own e-mail',
    params: one,
    access: 'admin.mail.templates.delete',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  campaigns: {
    method: 'GET',
    path: '/api/admin/own-mails/:id/campaigns',
    summary: 'List the campaigns of an own e-mail',
    description: 'And to whom it can be sent.',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      name: z.string(),
      kind,
      revision: z.int(),
      locales: z.array(locale),
      roles: z.array(z.object({ id, name: z.string() })),
      sends_mail: z.boolean(),
      campaigns: z.array(
        z.object({
          id,
          state: z.enum(['sending', 'done', 'cancelled']),
          total: z.int(),
          written: z.int(),
          created_at: isoTime,
          created_by: z.nullable(z.string()),
          ended_at: z.nullable(isoTime),
        }),
      ),
    }),
  },
  count: {
    method: 'POST',
    path: '/api/admin/own-mails/:id/count',
    summary: 'Count the recipients of an own e-mail',
    params: one,
    body: audienceInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ count: z.int() }),
  },
  send: {
    method: 'POST',
    path: '/api/admin/own-mails/:id/send',
    summary: 'Send an own e-mail to users',
    params: one,
    body: campaignInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT', 'MAIL_NO_SERVER'],
    response: z.object({ id: z.string() }),
  },
  cancel: {
    method: 'POST',
    path: '/api/admin/own-mails/campaigns/:id/cancel',
    summary: 'Cancel a campaign',
    params: one,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
});

/** Which of the host's own mails somebody wants (behaviour 7.5): by the link of a mail, and in the account. */
export const mailKinds = group({
  get: {
    method: 'GET',
    path: '/api/account/mail-kinds',
    summary: 'Get which kinds of e-mails you receive',
    access: 'signed-in',
    errors: [],
    /** Those that are wanted. */
    response: z.object({ kinds: z.array(kind) }),
  },
  save: {
    method: 'PATCH',
    path: '/api/account/mail-kinds',
    summary: 'Choose which kinds of e-mails you receive',
    body: mailKindsInput,
    access: 'signed-in',
    errors: ['VALIDATION_FAILED'],
  },
  byLink: {
    method: 'GET',
    path: '/api/unsubscribe/:token',
    summary: 'Get an unsubscribe link’s kinds of e-mails',
    params: byToken,
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({ kind, wanted: z.boolean() }),
  },
  saveByLink: {
    method: 'POST',
    path: '/api/unsubscribe/:token',
    summary: 'Choose kinds of e-mails by an unsubscribe link',
    params: byToken,
    body: z.strictObject({ wanted: z.boolean() }),
    access: 'open',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  oneClick: {
    method: 'POST',
    path: '/api/webhooks/unsubscribe/:token',
    summary: 'Unsubscribe with one click',
    description: 'Called by mail programs (RFC 8058). The token is the proof.',
    params: byToken,
    upload: { type: 'application/x-www-form-urlencoded', max: 1024 },
    access: 'open',
    limit: 'webhook',
    hook: true,
    errors: ['SIGNATURE_INVALID', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  openLink: {
    method: 'GET',
    path: '/api/webhooks/unsubscribe/:token',
    summary: 'Open an unsubscribe link',
    description: 'Leads to the page; changes nothing.',
    params: byToken,
    format: 'redirect',
    access: 'open',
    errors: [],
  },
});
