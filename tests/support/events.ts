import { mailTexts } from '#server/mail/texts.ts';
import { createEvents } from '#server/modules/events/index.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import { createMailing, type MailingDeps } from '#server/modules/mailing/index.ts';
import { createNotifications } from '#server/modules/notifications/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';

/** Events as the product makes them, whose mails stay in the outbox. Nobody has subscribed yet. */
export function testEvents(deps: {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: MailingDeps['settings'];
}) {
  return createEvents({
    ...deps,
    notifications: createNotifications(deps),
    mailing: createMailing({ ...deps, texts: mailTexts, appUrl: 'https://panel.example.com', mailServer: () => null }),
  });
}
