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

/**
 * Sends an e-mail to the caller at once, past the outbox. Out: where it was sent, and what the mail server said against
 * it; null where it took it. Throws UNAUTHENTICATED where the caller's account is gone.
 */
export function createTestMail({ uow, clock, ids, mailing, transport }: Deps) {
  return async ({ actor }: SignedIn): Promise<{ address: string; fault: string | null }> => {
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
