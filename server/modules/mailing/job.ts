import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { LeasedJob } from '../jobs/index.ts';
import type { Clock, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { MailOutcome, MailTransport, StoredMail } from './ports.ts';
import type { Unsubscribing } from './unsubscribing.ts';

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

/** How soon a mail that the rate held back asks again. */
const RATE_PAUSE_MS = 5 * SECOND;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: MailTransport;
  readonly settings: { current(): Pick<SettingValues, 'mail_per_minute'> };
  readonly unsubscribing: Pick<Unsubscribing, 'headersOf' | 'isWanted'>;
  /** What the mails of a ticket carry besides. */
  readonly mailThreads: { headersOf(mail: Pick<StoredMail, 'ticketId'>): Promise<Record<string, string>> };
}
/** What a try needs of its job. */
type MailAttempt = Pick<LeasedJob, 'id' | 'leaseToken' | 'attempts' | 'maxAttempts'>;

/**
 * The job `mail.send`. Nobody gets a mail twice: before its first byte leaves it is marked as handed over, and where
 * the server's answer was lost, or this process died meanwhile, it is not sent again by itself.
 */
export function createMailJob({ uow, clock, log, transport, settings, unsubscribing, mailThreads }: Deps) {
  /** Writes how a try ended, and ends its job in the same transaction unless another try is to follow. */
  async function recordOutcome(
    mail: StoredMail,
    outcome: MailOutcome,
    attempts: number,
    { isLast, job }: { readonly isLast: boolean; readonly job: MailAttempt | null },
  ): Promise<void> {
    const error = outcome.kind === 'sent' ? null : outcome.error.slice(0, 500);
    const isFinal = outcome.kind !== 'later' || isLast;
    const ends = { sent: 'sent', unknown: 'unknown', never: 'failed', later: isLast ? 'failed' : 'queued' } as const;
    const state = ends[outcome.kind];
    await uow.run(async (tx) => {
      await tx.mail.setFate(mail.id, {
        state,
        attempts,
        error,
        sentMs: state === 'sent' ? clock.now() : null,
        replyCode: outcome.kind === 'sent' ? null : outcome.code,
        bounced: outcome.kind === 'never' && outcome.bounced,
      });
      if (isFinal) await tx.mail.replaceBodies(mail.id, withoutTokens(mail.text), withoutTokens(mail.html));
      if (isFinal && job) await tx.jobs.finish(job.id, job.leaseToken, clock.now());
      tx.touch('mail');
    });
    if (state === 'failed' || state === 'unknown')
      log.warn(`mail.${state}`, { mail_id: mail.id, template: mail.template, attempt: attempts, error });
  }
  const finish = async (job: MailAttempt): Promise<void> =>
    void (await uow.run((tx) => tx.jobs.finish(job.id, job.leaseToken, clock.now())));
  /** Whether a mail may leave now; otherwise its job comes again when the minute has room. */
  async function takesPlace(mail: StoredMail, job: MailAttempt): Promise<boolean> {
    const most = settings.current().mail_per_minute;
    if (most === 0) return true;
    const nowMs = clock.now();
    return uow.run(async (tx) => {
      if (await tx.mail.beginTry(mail.id, nowMs, { sinceMs: nowMs - MINUTE, most })) return true;
      await tx.jobs.reschedule(job.id, job.leaseToken, nowMs + RATE_PAUSE_MS);
      return false;
    });
  }
  const lost = (text: string) => ({ kind: 'unknown', error: text, code: null }) as const;

  return {
    /** Longer than the transport's own time limits together. */
    leaseMs: 3 * MINUTE,
    endsItself: true,
    /** Pause after a failed try, counted from 1. */
    backoffMs(attempt: number): number {
      return PAUSES_MS[Math.min(Math.max(attempt, 1), PAUSES_MS.length) - 1] ?? HOUR;
    },
    /** Sends one mail. Throws where another try is to follow. */
    async handle(payload: unknown, job: MailAttempt): Promise<void> {
      const mailId = mailIdOf(payload);
      const mail = mailId === null ? null : await uow.read((tx) => tx.mail.find(mailId));
      if (mail?.state === 'sending')
        return recordOutcome(mail, lost('interrupted while it was handed over'), mail.attempts + 1, {
          isLast: true,
          job,
        });
      if (mail?.state !== 'queued') return finish(job);
      if (isExpired(payload, clock.now())) {
        const past = { kind: 'never', error: 'not sent: what it announces was past', code: null, bounced: false };
        return recordOutcome(mail, past as MailOutcome, mail.attempts, { isLast: true, job });
      }
      if (!(await unsubscribing.isWanted(mail))) {
        await uow.run((tx) => tx.mail.move(mail.id, ['queued'], 'cancelled'));
        return finish(job);
      }
      if (!(await takesPlace(mail, job))) return;
      const attempt = mail.attempts + 1;
      const { address: to, subject, text, html, messageId, createdMs } = mail;
      const state = { isTaken: false };
      const headers = { ...unsubscribing.headersOf(mail), ...(await mailThreads.headersOf(mail)) };
      const outcome = await transport.send({ to, subject, text, html, messageId, createdMs, headers }, async () => {
        state.isTaken = !(await uow.run((tx) => tx.mail.beginHandOver(mail.id)));
        if (state.isTaken) throw new Error('it does not wait any more');
      });
      if (state.isTaken) return finish(job);
      const isLast = attempt >= job.maxAttempts || job.attempts >= job.maxAttempts;
      await recordOutcome(mail, outcome, attempt, { isLast, job });
      if (outcome.kind === 'later' && !isLast) throw new Error(`mail not taken: ${outcome.error.slice(0, 200)}`);
    },
    /** The runner gives the job up: so is the mail, unless its fate is known. */
    async dead(payload: unknown): Promise<void> {
      const mailId = mailIdOf(payload);
      const mail = mailId === null ? null : await uow.read((tx) => tx.mail.find(mailId));
      const end = { isLast: true, job: null };
      if (mail?.state === 'sending')
        await recordOutcome(mail, lost(mail.lastError ?? 'interrupted while it was handed over'), mail.attempts, end);
      if (mail?.state !== 'queued') return;
      const givenUp = { kind: 'never', error: mail.lastError ?? 'given up', code: mail.replyCode, bounced: false };
      await recordOutcome(mail, givenUp as MailOutcome, mail.attempts, end);
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
