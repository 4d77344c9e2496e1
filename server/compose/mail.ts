import type { Config } from '../env.ts';
import type { JobHandler } from '../jobs/runner.ts';
import { createSmtpTransport } from '../mail/smtp.ts';
import type { Clock, Log } from '../modules/kernel.ts';
import { createMailJob, MAIL_JOB } from '../modules/mailing/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';

/** The job that sends mails; nothing where no mail server is configured (the outbox is then the mailbox). */
export function mailJob(deps: {
  config: Pick<Config, 'mail'>;
  uow: UnitOfWork;
  clock: Clock;
  log: Log;
  settings: Parameters<typeof createMailJob>[0]['settings'];
}): Record<string, JobHandler> {
  const { config, ...rest } = deps;
  return config.mail ? { [MAIL_JOB]: createMailJob({ ...rest, transport: createSmtpTransport(config.mail) }) } : {};
}
