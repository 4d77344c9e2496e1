import type { Handlers } from '#server/http/implement.types.ts';
import type { MailHook } from '#server/modules/ticket-mail/index.ts';
import { MAIL_SIGNATURE_HEADER, type ticketMail } from '#shared/contract/ticket-mail.ts';

/** Where a mail service hands over answers to tickets. */
export function ticketMailHandlers({ mailHook }: { readonly mailHook: MailHook }): Handlers<typeof ticketMail> {
  return {
    async receive(ctx, { body }) {
      await mailHook(body, ctx.header(MAIL_SIGNATURE_HEADER));
      return {};
    },
  };
}
