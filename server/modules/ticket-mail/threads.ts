import type { SettingValues } from '#shared/settings.ts';
import type { UnitOfWork } from '../tx.ts';
import { toTicketAddress, type AddressKey } from './address.ts';
import { isTicketMailOn } from './receive.ts';

interface Deps extends AddressKey {
  readonly uow: UnitOfWork;
  readonly settings: { current(): SettingValues };
  /** The Message-ID of the e-mail of an id, with its angle brackets. */
  readonly mailing: { messageIdOf(id: string): string };
}

/**
 * What the mails of a ticket carry as they leave: the address that answers go to, while answers are taken, and what
 * mail programs put them together by. The address is never stored: whoever reads the outbox cannot write to the
 * ticket.
 */
export function createMailThreads(deps: Deps) {
  return {
    /** Further headers of a mail of the outbox; none where it is of no ticket. */
    async headersOf({ ticketId }: { readonly ticketId: string | null }): Promise<Record<string, string>> {
      if (ticketId === null) return {};
      const { ticket, last } = await deps.uow.read(async (tx) => ({
        ticket: await tx.tickets.find(ticketId),
        last: await tx.ticketMails.lastMessageId(ticketId),
      }));
      if (!ticket) return {};
      const values = deps.settings.current();
      // No mail has this one: what all mails of a ticket refer to.
      const root = deps.mailing.messageIdOf(`ticket.${ticketId}`);
      const newest = last === null ? root : `<${last}>`;
      return {
        'In-Reply-To': newest,
        References: last === null ? root : `${root} ${newest}`,
        ...(isTicketMailOn(values) ? { 'Reply-To': toTicketAddress(deps, values.ticket_mail_address, ticket) } : {}),
      };
    },
  };
}
