import { HOUR } from '#shared/time.ts';
import { subscriber } from '../../events/index.ts';
import type { Tx } from '../../tx.ts';
import type { SupportersDeps } from './deps.ts';

/** What happens to users and their rewards elsewhere, and concerns who is an early supporter. */
export function followUsers({ clock, settings }: Pick<SupportersDeps, 'clock' | 'settings'>) {
  /** Something happened that may let a user qualify: they are checked in the task's next run. */
  async function nominate(tx: Tx, userId: string): Promise<void> {
    const { early_supporters_enabled: isEnabled, referral_min_age_hours: hours } = settings.current();
    const user = isEnabled ? await tx.identity.findUser(userId) : null;
    if (!user) return;
    const now = clock.now();
    await tx.earlySupporters.nominate(userId, now, Math.max(now, user.createdMs + hours * HOUR));
  }

  /** Notes what became of a reward on hold; nothing where the reference is none of ours. */
  async function recordDecision(tx: Tx, reference: string, outcome: 'released' | 'rejected'): Promise<void> {
    const userId = /^early_supporters:(.+)$/.exec(reference)?.[1];
    if (userId === undefined) return;
    const row = await tx.earlySupporters.lock(userId);
    if (row?.state !== 'held') return;
    await tx.earlySupporters.change(userId, { state: outcome === 'released' ? 'paid' : 'refused' });
    if (outcome === 'rejected') await tx.earlySupporters.releasePlace();
  }

  /** Ends what a deleted account waits for; its place is free again. What was paid stays in the books. */
  async function withdraw(tx: Tx, userId: string): Promise<void> {
    const row = await tx.earlySupporters.lock(userId);
    if (row?.state !== 'pending' && row?.state !== 'qualified') return;
    await tx.earlySupporters.change(userId, { state: 'refused' });
    if (row.state === 'qualified') await tx.earlySupporters.releasePlace();
  }

  return [
    subscriber('user.verified', (tx, { userId }) => nominate(tx, userId)),
    subscriber('server.ready', (tx, { userId }) => nominate(tx, userId)),
    subscriber('afk.minutes_paid', (tx, { userId }) => nominate(tx, userId)),
    subscriber('user.deleted', (tx, { userId }) => withdraw(tx, userId)),
    subscriber('reward.released', (tx, { reference }) => recordDecision(tx, reference, 'released')),
    subscriber('reward.rejected', (tx, { reference }) => recordDecision(tx, reference, 'rejected')),
  ];
}
