import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { MAIL_ATTEMPTS, MAIL_JOB } from './job.ts';

/** When a mail may leave. UTC ms. */
export interface MailWindow {
  /** From this moment on it is not sent any more, because what it announces would be past. */
  readonly untilMs?: number | undefined;
  /** Not before this moment. */
  readonly fromMs?: number | undefined;
}

/**
 * Enqueues the delivery of a mail of the outbox. In: from which moment on it is not sent any more, and from which on it
 * is (UTC ms); for ever good and at once when absent.
 */
export function enqueueMail(
  tx: Tx,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  mailId: string,
  { untilMs, fromMs }: MailWindow = {},
): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: MAIL_JOB,
    payload: { mailId, ...(untilMs === undefined ? {} : { untilMs }) },
    uniqueKey: `mail:${mailId}`,
    maxAttempts: MAIL_ATTEMPTS,
    runAtMs: fromMs,
  });
}
