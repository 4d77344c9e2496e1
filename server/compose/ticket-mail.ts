import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { openImap } from '../mail/imap.ts';
import { createMailReader } from '../mail/mail-reader.ts';
import { verifySignature } from '../mail/signature.ts';
import { createMailboxPoll, createMailHook, createMailThreads, createReceiver } from '../modules/ticket-mail/index.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** How often the mailbox is looked into. */
const POLL_MS = MINUTE;

/** Answers to tickets by mail (behaviour 7.3): what mails of tickets carry, and two ways in. */
export function composeTicketMail(foundation: Foundation, { spawnMailReading }: Pick<ServiceDeps, 'spawnMailReading'>) {
  const receive = createReceiver({ ...foundation, reader: createMailReader(spawnMailReading) });
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
