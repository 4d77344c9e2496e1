import { HOUR, MINUTE } from '#shared/time.ts';
import type { Clock, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { MailOutcome, MailTransport, StoredMail } from './ports.ts';

/** Kind of the job that sends one mail. */
export const MAIL_JOB = 'mail.send';
/** Pauses after the first, second … failed try: they grow, and end within 24 hours of the first (services, smtp). */
export const PAUSES_MS: readonly number[] = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  45 * MINUTE,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  10 * HOUR,
];
/** Tries altogether. */
export const MAIL_ATTEMPTS = PAUSES_MS.length + 1;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: MailTransport;
}

/**
 * The job `mail.send`. A mail leaves at most once, but for the case that the server's answer was lost (or this process
 * died before writing it down): then it is sent again with the same Message-ID, by which mail programs know it.
 */
export function createMailJob({ uow, clock, log, transport }: Deps) {
  async function recordOutcome(mail: StoredMail, outcome: MailOutcome, attempt: number, last: boolean): Promise<void> {
    const error = outcome.kind === 'sent' ? null : outcome.error.slice(0, 500);
    const isFinal = outcome.kind !== 'later' || last;
    const state = outcome.kind === 'sent' ? 'sent' : isFinal ? 'failed' : 'queued';
    await uow.run(async (tx) => {
      await tx.mail.setState(mail.id, state, attempt, error, state === 'sent' ? clock.now() : null);
      if (isFinal) await tx.mail.replaceBodies(mail.id, withoutTokens(mail.text), withoutTokens(mail.html));
      tx.touch('mail');
    });
    if (state === 'failed') log.warn('mail.failed', { mail_id: mail.id, template: mail.template, attempt, error });
  }

  return {
    /** Longer than the transport's own time limits together. */
    leaseMs: 3 * MINUTE,
    /** Pause after a failed try, counted from 1. */
    backoffMs(attempt: number): number {
      return PAUSES_MS[Math.min(Math.max(attempt, 1), PAUSES_MS.length) - 1] ?? HOUR;
    },
    /** Sends one mail. Throws where another try is to follow. */
    async handle(payload: unknown, job: { readonly attempts: number; readonly maxAttempts: number }): Promise<void> {
      const mailId = mailIdOf(payload);
      const mail = mailId === null ? null : await uow.read((tx) => tx.mail.find(mailId));
      if (!mail || mail.state !== 'queued') return;
      if (isExpired(payload, clock.now()))
        return recordOutcome(
          mail,
          { kind: 'never', error: 'not sent: what it announces was past' },
          mail.attempts,
          true,
        );
      const attempt = mail.attempts + 1;
      const outcome = await transport.send({
        to: mail.address,
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: mail.messageId,
        createdMs: mail.createdMs,
      });
      const last = attempt >= job.maxAttempts || job.attempts >= job.maxAttempts;
      await recordOutcome(mail, outcome, attempt, last);
      if (outcome.kind === 'later' && !last) throw new Error(`mail not taken: ${outcome.error.slice(0, 200)}`);
    },
    /** The runner gives the job up: so is the mail, unless its fate is known. */
    async dead(payload: unknown): Promise<void> {
      const mailId = mailIdOf(payload);
      const mail = mailId === null ? null : await uow.read((tx) => tx.mail.find(mailId));
      if (mail?.state === 'queued')
        await recordOutcome(mail, { kind: 'never', error: mail.lastError ?? 'given up' }, mail.attempts, true);
    },
  };
}

function mailIdOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('mailId' in payload)) return null;
  return typeof payload.mailId === 'string' ? payload.mailId : null;
}

/** Whether the moment is over up to which a mail may leave. */
function isExpired(payload: unknown, nowMs: number): boolean {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'untilMs' in payload &&
    typeof payload.untilMs === 'number' &&
    nowMs >= payload.untilMs
  );
}

/** A body whose one-time tokens cannot be read any more: once it has left, the outbox keeps none (attacks T35). */
export function withoutTokens(body: string): string {
  return body.replaceAll(/([?&;](?:token|setup)=)[\w%.~-]+/g, '$1…');
}
