import { DomainError } from '#shared/errors.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { currentChecks, qualifies, recheckDelay } from '../referrals/index.ts';
import type { SupportersDeps } from './deps.ts';
import type { SupporterReason } from './ports.ts';

/** The ledger's reference of a user's reward (behaviour 2, 4.7). */
const referenceOf = (userId: string): string => `early_supporters:${userId}`;

/** Gives a user who qualifies a place. Out: whether they have one and their reward is still to be paid. */
export async function takePlace(deps: SupportersDeps, tx: Tx, userId: string): Promise<boolean> {
  const user = await tx.identity.lockUser(userId);
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state !== 'pending') return row?.state === 'qualified';
  const now = deps.clock.now();
  const checks = user?.status === 'active' ? await currentChecks(deps, tx, user) : null;
  if (!checks || !qualifies(checks)) {
    const nextCheckMs = now + (checks ? recheckDelay(now - row.createdMs) : DAY);
    await tx.earlySupporters.change(userId, { nextCheckMs });
    return false;
  }
  const { early_supporters_count: count, early_supporters_amount: credits } = deps.settings.current();
  // Without a place they stay due, so that they have the next one that is free.
  if (!(await tx.earlySupporters.takePlace(count))) return false;
  await tx.earlySupporters.change(userId, { state: 'qualified', credits, qualifiedMs: now, nextCheckMs: now });
  return true;
}

/** Pays a user who has a place, in a transaction of its own: once, whatever runs it how often. */
export async function pay(deps: SupportersDeps, userId: string): Promise<void> {
  try {
    await deps.uow.run((tx) => payOnce(deps, tx, userId));
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null;
    if (code !== 'BUDGET_SPENT' && code !== 'DAILY_CAP_REACHED') throw error;
    await deps.uow.run((tx) => postpone(deps, tx, userId, code === 'BUDGET_SPENT' ? 'budget' : 'cap'));
  }
}

async function payOnce(deps: SupportersDeps, tx: Tx, userId: string): Promise<void> {
  const user = await tx.identity.lockUser(userId);
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state !== 'qualified') return;
  if (user?.status !== 'active') {
    // Banned or deleted in the moment between: the place is free again, and who comes back waits for one.
    await tx.earlySupporters.change(userId, { state: 'pending', reason: null, nextCheckMs: deps.clock.now() + DAY });
    return tx.earlySupporters.releasePlace();
  }
  if (user.verifiedMs === null && deps.asksVerification()) return postpone(deps, tx, userId, 'unverified');
  const reward = { userId, amount: row.credits, reference: referenceOf(userId) };
  const paid = await deps.payout.pay(tx, { ...reward, source: 'early_supporters', subject: null });
  await tx.earlySupporters.change(userId, { state: paid.state, txId: paid.txId, reason: null });
  await deps.events.emit(tx, 'supporter.paid', { ...reward, held: paid.state === 'held' });
}

/** What waits is tried again within the hour, and keeps its place. */
async function postpone({ clock }: SupportersDeps, tx: Tx, userId: string, reason: SupporterReason): Promise<void> {
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state === 'qualified') await tx.earlySupporters.change(userId, { reason, nextCheckMs: clock.now() + HOUR });
}
