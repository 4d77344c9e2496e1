import { DAY, MINUTE } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { Tx } from '../tx.ts';

/**
 * How many e-mails a day can be requested for one user without logging in: per requester, and in total. A stranger who
 * uses up their budget does not touch the owner's.
 */
const MAX_PER_REQUESTER = 5;
const MAX_TOTAL = 20;
/** Shortest time in ms between two requests of one requester (behaviour 3.1, 3.7). */
const MIN_INTERVAL = MINUTE;

/** Who requests an e-mail: hashes of their network and of their browser's device token ('' for none). */
export interface Requester {
  readonly network: string;
  readonly device: string;
}

/** Counts the e-mails that were requested. */
export function createMailBudget({ clock }: { clock: Clock }) {
  /**
   * Counts one more under a key, in windows of 24 hours from the first; false, and nothing counted, when `max` is
   * reached.
   */
  async function count(tx: Tx, key: string, max: number): Promise<boolean> {
    const now = clock.now();
    const row = await tx.identity.lockAttempts(key);
    const fresh = !row || now - row.lastMs >= DAY;
    if (!fresh && row.count >= max) return false;
    await tx.identity.setAttempts(
      key,
      fresh ? { count: 1, lastMs: now } : { count: row.count + 1, lastMs: row.lastMs },
    );
    return true;
  }

  /**
   * Takes one e-mail from both budgets, at the earliest a minute after the last. In: the kind of e-mail with its
   * recipient (`reset:<user id>`), and the hash of the requester's network or device. Returns whether it may be sent.
   */
  async function take(tx: Tx, subject: string, requester: string): Promise<boolean> {
    const latestKey = `mail:${subject}:at:${requester}`;
    const now = clock.now();
    const last = await tx.identity.lockAttempts(latestKey);
    if (last && now - last.lastMs < MIN_INTERVAL) return false;
    if (
      !(await count(tx, `mail:${subject}:by:${requester}`, MAX_PER_REQUESTER)) ||
      !(await count(tx, `mail:${subject}`, MAX_TOTAL))
    )
      return false;
    await tx.identity.setAttempts(latestKey, { count: 1, lastMs: now });
    return true;
  }

  return { take };
}
export type MailBudget = ReturnType<typeof createMailBudget>;
