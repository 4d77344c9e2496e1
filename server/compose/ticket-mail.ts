import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { openImap } from '../mail/imap.ts';
import { createMailReader } from '../mail/mail-reader.ts';
import { mailTexts } from '../mail/texts.ts';
import { verifySignature } from '../mail/signature.ts';
import { findText } from '../modules/mailing/index.ts';
import { createMailboxPoll, createMailHook, createMailThreads, createReceiver } from '../modules/ticket-mail/index.ts';
import type { Attachments } from '../modules/tickets/index.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** How often the mailbox is looked into. */
const POLL_MS = MINUTE;

/** Answers to tickets by mail (behaviour 7.3): what mails of tickets carry, and two ways in. */
export function composeTicketMail(
  foundation: Foundation,
  { spawnMailReading, attachments }: Pick<ServiceDeps, 'spawnMailReading'> & { readonly attachments: Attachments },
) {
  const receive = createReceiver({
    ...foundation,
    attachments,
    reader: createMailReader(spawnMailReading),
    describeLeftOut: (locale, names) => `${findText(mailTexts, locale, ['filesLeftOut'])} ${names}`,
  });
  const tasks: ScheduledTask[] = [
    { name: 'ticketMail.poll', everyMs: POLL_MS, run: createMailboxPoll({ ...foundation, open: openImap, receive }) },
  ];
  return {
    services: {
      mailThreads: createMailThreads(foundation),
      mailHook: createMailHook({ ...foundation, receive, verify: verifySignature }),
    },
    tasks,
  };
}
