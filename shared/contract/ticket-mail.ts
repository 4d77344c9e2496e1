import { group } from './endpoint.ts';

/** Largest mail that is taken, in bytes. */
export const TICKET_MAIL_MAX = 25 * 1024 * 1024;
/** The header with which a mail service signs the mails that it hands over. */
export const MAIL_SIGNATURE_HEADER = 'x-mail-signature';

/**
 * Where a mail service hands over answers to tickets, each as it came: no session, no origin, signed with the host's
 * own secret. Whatever becomes of a mail, it was taken.
 */
export const ticketMail = group({
  receive: {
    method: 'POST',
    path: '/api/webhooks/tickets',
    summary: 'Receive an e-mail to a ticket',
    upload: { type: 'message/rfc822', max: TICKET_MAIL_MAX },
    ceiling: 'attachments',
    access: 'open',
    limit: 'ticketMail',
    hook: true,
    errors: ['SIGNATURE_INVALID', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  },
});
