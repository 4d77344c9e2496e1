import * as z from 'zod/mini';
import { LOCALES } from '../i18n/locales.ts';
import { MAIL_BLOCKS, MAIL_TEMPLATES } from '../mails.ts';
import { mailContentInput, mailPreviewInput, mailResetInput, mailTemplateInput } from '../schemas/mail-template.ts';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const locale = z.enum(LOCALES);
/** A mail by its name. */
const one = z.object({ id: z.string().check(z.regex(/^[\w-]{1,40}$/, 'INVALID')) });
export const mailContent = z.object({
  subject: z.string(),
  blocks: z.array(z.object({ kind: z.enum(MAIL_BLOCKS), text: z.string() })),
});
export type MailContentView = z.infer<typeof mailContent>;
export const mailPreview = z.object({
  subject: z.string(),
  text: z.string(),
  /** The styles of its elements stand in `data-style`: pages allow none at elements. */
  html: z.string(),
  style: z.string(),
  /** What mail programs in dark mode put over it. */
  dark_style: z.string(),
  to: z.string(),
});
export type MailPreviewView = z.infer<typeof mailPreview>;

/** The product's mails, with their content in each language (behaviour 8.5). */
export const adminMailTemplates = group({
  list: {
    method: 'GET',
    path: '/api/admin/mail-templates',
    summary: 'List mail templates',
    query: z.object({ locale: z.optional(locale) }),
    access: 'admin.mail.templates.list',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id: z.enum(MAIL_TEMPLATES),
          subject: z.string(),
          /** The languages whose content is the host's own. */
          changed: z.array(locale),
          updated_at: z.nullable(isoTime),
        }),
      ),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/mail-templates/:id',
    summary: 'Get a mail template',
    params: one,
    query: z.object({ locale: z.optional(locale) }),
    access: 'admin.mail.templates.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      id: z.enum(MAIL_TEMPLATES),
      locale,
      content: mailContent,
      /** The product's own. */
      original: mailContent,
      /** 0: the product's own content counts. */
      revision: z.int(),
      updated_at: z.nullable(isoTime),
      updated_by: z.nullable(z.string()),
      changed: z.array(locale),
      /** Names that may stand in double braces. */
      variables: z.array(z.string()),
      preview: mailPreview,
    }),
  },
  save: {
    method: 'PATCH',
    path: '/api/admin/mail-templates/:id',
    summary: 'Change a mail template',
    description: 'Of one language.',
    params: one,
    body: mailTemplateInput,
    access: 'admin.mail.templates.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
  preview: {
    method: 'POST',
    path: '/api/admin/mail-templates/:id/preview',
    summary: 'Preview a mail template',
    description: 'With the data of another user for those who may edit users.',
    params: one,
    body: mailPreviewInput,
    access: 'admin.mail.templates.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ preview: mailPreview }),
  },
  test: {
    method: 'POST',
    path: '/api/admin/mail-templates/:id/test',
    summary: 'Send a mail template to yourself',
    params: one,
    body: mailContentInput,
    access: 'admin.mail.templates.edit',
    limit: 'mail',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    /** Of the outbox. */
    response: z.object({ mail: z.string() }),
  },
  changes: {
    method: 'GET',
    path: '/api/admin/mail-templates/:id/changes',
    summary: 'Get how a mail template was changed',
    params: one,
    access: 'admin.mail.templates.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ id: z.enum(MAIL_TEMPLATES), changed: z.array(locale) }),
  },
  reset: {
    method: 'DELETE',
    path: '/api/admin/mail-templates/:id',
    summary: 'Reset a mail template',
    description: 'The product’s own text comes back.',
    params: one,
    body: mailResetInput,
    access: 'admin.mail.templates.delete',
    errors: ['NOT_FOUND'],
  },
});
