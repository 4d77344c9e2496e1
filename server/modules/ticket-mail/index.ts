export { ticketMailCheck } from './check.ts';
export { createMailHook, type MailHook } from './hook.ts';
export { createMailboxPoll, mailboxOf } from './poll.ts';
export { createReceiver } from './receive.ts';
export { createMailThreads } from './threads.ts';
export { MailboxFault, type OpenTheMailbox } from './ports.ts';
