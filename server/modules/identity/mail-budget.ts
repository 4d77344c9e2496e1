import { DAY, MINUTE } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { Tx } from '../tx.ts';

/**
 * E-mails that anybody can have sent to somebody by asking: so many a day for one who asks, so many for all of them
 * together. A stranger who uses up theirs leaves the rightful owner's alone.
 */
const PER_ASKER = 5;
const ALTOGETHER = 20;
/** Shortest time between two that one asks for (behaviour 3.1, 3.7). */
const APART = MINUTE;

/** Who asks for an e-mail: hashes of the network they come from and of their browser. */
export interface Asker {
  readonly network: string;
  readonly device: string;
}

/** Counts what is asked for. In: a clock. */
export function createMailBudget({ clock }: { clock: Clock }) {
  /**
   * Counts one more under a key within 24 hours from the first; false, and nothing counted, where there were `most`
   * already.
   */
  async function count(tx: Tx, key: string, most: number): Promise<boolean> {
    const now = clock.now();
    const row = await tx.identity.attempts(key);
    const fresh = !row || now - row.lastMs >= DAY;
    if (!fresh && row.count >= most) return false;
    await tx.identity.setAttempts(
      key,
      fresh ? { count: 1, lastMs: now } : { count: row.count + 1, lastMs: row.lastMs },
    );
    return true;
  }

  /**
   * Takes one e-mail out of both budgets, a minute after the last one at the soonest. In: what it is about and to whom,
   * and who asks (a network, or a browser). Out: whether it may be sent.
   */
  async function take(tx: Tx, about: string, asker: string): Promise<boolean> {
    const latest = `mail:${about}:at:${asker}`;
    const now = clock.now();
    const last = await tx.identity.attempts(latest);
    if (last && now - last.lastMs < APART) return false;
    if (!(await count(tx, `mail:${about}:by:${asker}`, PER_ASKER)) || !(await count(tx, `mail:${about}`, ALTOGETHER)))
      return false;
    await tx.identity.setAttempts(latest, { count: 1, lastMs: now });
    return true;
  }

  return { take };
}
export type MailBudget = ReturnType<typeof createMailBudget>;
