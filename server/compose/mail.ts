import type { JobHandler } from '../jobs/runner.ts';
import { createSmtpTransport } from '../mail/smtp.ts';
import type { Clock, Log } from '../modules/kernel.ts';
import { createMailJob, MAIL_JOB, type MailConfig, type MailTransport } from '../modules/mailing/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';

/** The job that sends mails. */
export function mailJob(deps: {
  mailTransport: MailTransport;
  uow: UnitOfWork;
  clock: Clock;
  log: Log;
  settings: Parameters<typeof createMailJob>[0]['settings'];
  unsubscribing: Parameters<typeof createMailJob>[0]['unsubscribing'];
  mailThreads: Parameters<typeof createMailJob>[0]['mailThreads'];
}): Record<string, JobHandler> {
  return { [MAIL_JOB]: createMailJob({ ...deps, transport: deps.mailTransport }) };
}

/** A way out over the mail server in force; made anew when it is another one. */
export function composeMailTransport(mailServer: () => MailConfig | null): MailTransport {
  let made: { readonly of: string; readonly transport: MailTransport } | null = null;
  return {
    async send(mail, begin) {
      const server = mailServer();
      const of = JSON.stringify(server);
      if (made?.of !== of) {
        // What is under way ends by itself.
        made?.transport.close();
        made = null;
      }
      if (server === null) return { kind: 'later', error: 'no mail server is set', code: null };
      try {
        made ??= { of, transport: createSmtpTransport(server) };
      } catch (error) {
        return { kind: 'later', error: error instanceof Error ? error.message : String(error), code: null };
      }
      return made.transport.send(mail, begin);
    },
    close: () => made?.transport.close(),
  };
}
