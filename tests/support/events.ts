import { createBus } from '#server/data/bus.ts';
import { mailTexts, sentenceTexts } from '#server/mail/texts.ts';
import { createEvents } from '#server/modules/events/index.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import { createMailing, type MailingDeps } from '#server/modules/mailing/index.ts';
import { createNotifications, type NotificationDeps, type Notifications } from '#server/modules/notifications/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { testLog } from './log.ts';

/** Events as the product makes them, whose mails stay in the outbox. Nobody has subscribed yet. */
export function testEvents(deps: {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: MailingDeps['settings'];
}) {
  const mailing = createMailing({
    ...deps,
    bus: createBus(testLog()),
    texts: mailTexts,
    appUrl: () => 'https://panel.example.com',
    mailServer: () => null,
  });
  return createEvents({ ...deps, notifications: testNotifications({ ...deps, mailing }), mailing });
}

/** Notifications as the product makes them; without a mailing, their mails go nowhere. */
export function testNotifications(
  deps: Pick<NotificationDeps, 'uow' | 'clock' | 'ids' | 'settings'> & Partial<Pick<NotificationDeps, 'mailing'>>,
): Notifications {
  return createNotifications({ mailing: { sendTo: async () => true }, texts: sentenceTexts, ...deps });
}
