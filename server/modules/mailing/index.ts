export { createMailing, type Mailing, type MailingDeps } from './service.ts';
export { createMailbox, type Mailbox } from './mailbox.ts';
export { createOutbox, type Outbox, type OutboxMail } from './outbox.ts';
export { createStaffMailTemplates, type StaffMailTemplates } from './staff-templates.ts';
export { createMailJob, MAIL_JOB } from './job.ts';
export { createTestMail } from './test-mail.ts';
export { mailServerOf } from './server.ts';
export type { MailTexts } from './texts.ts';
export type { MailConfig, MailTemplate, MailTransport, MailVars, OutgoingMail, StoredMail } from './ports.ts';
