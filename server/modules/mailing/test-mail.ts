import { DomainError } from '#shared/errors.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { MailTransport } from './ports.ts';
import type { Mailing } from './service.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'render' | 'messageIdOf'>;
  readonly transport: MailTransport;
}
/** `address`: where it was sent; `fault`: what the mail server said against it, null where it took it. */
export type SendTestMail = (ctx: SignedIn) => Promise<{ readonly address: string; readonly fault: string | null }>;

/**
 * Sends an e-mail to the caller at once, past the outbox: what the mail server says is the answer. Throws
 * UNAUTHENTICATED where the caller's account is gone.
 */
export function createTestMail({ uow, clock, ids, mailing, transport }: Deps): SendTestMail {
  return async ({ actor }) => {
    const contact = await uow.read((tx) => tx.identity.findContact(actor.userId));
    if (!contact) throw new DomainError('UNAUTHENTICATED');
    const name = contact.firstName || contact.username;
    const mail = mailing.render({
      template: 'test',
      locale: contact.locale,
      vars: { name, path: '/mc-admin/settings?group=mail' },
    });
    const outgoing = {
      ...mail,
      to: contact.address,
      messageId: mailing.messageIdOf(ids.uuid()),
      createdMs: clock.now(),
    };
    const outcome = await transport.send(outgoing, () => Promise.resolve());
    return { address: contact.address, fault: outcome.kind === 'sent' ? null : outcome.error };
  };
}
