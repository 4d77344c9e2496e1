import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { MAIL_ATTEMPTS, MAIL_JOB } from './job.ts';

/**
 * Enqueues the delivery of a mail of the outbox. In: from which moment on it is not sent any more (UTC ms); for ever
 * good when absent.
 */
export function enqueueMail(
  tx: Tx,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  mailId: string,
  untilMs?: number,
): Promise<void> {
  return enqueue(tx, ids, clock, {
    kind: MAIL_JOB,
    payload: { mailId, ...(untilMs === undefined ? {} : { untilMs }) },
    uniqueKey: `mail:${mailId}`,
    maxAttempts: MAIL_ATTEMPTS,
  });
}
