import { parseCursor } from '#server/api/account-activity.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Mailing, Outbox, OutboxMail } from '#server/modules/mailing/index.ts';
import type { adminMails, OutboxRow } from '#shared/contract/mails.ts';
import { iso } from '#shared/time.ts';
import { toPreviewView } from './mail-templates.ts';

interface Deps {
  readonly outbox: Outbox;
  readonly mailing: Pick<Mailing, 'isConfigured'>;
}

/** The outbox for staff. */
export function mailsHandlers({ outbox, mailing }: Deps): Handlers<typeof adminMails> {
  return {
    async list(ctx, { query }) {
      const cursor = parseCursor(query.before);
      const { rows, older, counts } = await outbox.list(
        ctx,
        { state: query.state, template: query.template || undefined, search: query.q?.trim() || undefined },
        cursor && { createdMs: cursor.ms, id: cursor.id },
      );
      return {
        rows: rows.map(toRow),
        older: older && `${older.createdMs}.${older.id}`,
        counts,
        sends_mail: mailing.isConfigured(),
      };
    },
    async get(ctx, { params }) {
      const { preview, ...mail } = await outbox.get(ctx, params.id);
      return {
        mail: toRow(mail),
        message_id: mail.messageId,
        preview: preview && toPreviewView(preview),
        sends_mail: mailing.isConfigured(),
      };
    },
    cancel: (ctx, { params }) => outbox.cancel(ctx, params.id),
    resend: (ctx, { params }) => outbox.resend(ctx, params.id),
    resendMany: (ctx, { body }) => outbox.resendMany(ctx, body.ids),
  };
}

function toRow(mail: OutboxMail): OutboxRow {
  const { id, username, address, template, locale, subject, state, attempts, bounced } = mail;
  return {
    id,
    created_at: iso(mail.createdMs),
    username,
    address,
    template,
    locale,
    subject,
    state,
    attempts,
    tried_at: iso(mail.triedMs),
    sent_at: iso(mail.sentMs),
    error: mail.lastError,
    reply_code: mail.replyCode,
    bounced,
    can_cancel: mail.canCancel,
    can_resend: mail.canResend,
  };
}
