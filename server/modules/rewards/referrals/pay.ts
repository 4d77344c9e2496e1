import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Events } from '../../events/index.ts';
import type { Clock } from '../../kernel.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import type { Payout } from '../payout/index.ts';
import { monthStart } from './policy.ts';
import type { Part, Referral, ReferralReason, Side } from './ports.ts';

interface PayDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
  readonly payout: Pick<Payout, 'pay'>;
  readonly events: Pick<Events, 'emit'>;
  readonly asksVerification: () => boolean;
}

/**
 * Pays one side of a qualified referral, in a transaction of its own: once, whatever runs it how often. What stands in
 * the way for now (the month is full, the day's budget) is noted, and it is tried again.
 */
export async function paySide(deps: PayDeps, newcomerId: string, side: Side): Promise<void> {
  try {
    await deps.uow.run((tx) => payOnce(deps, tx, newcomerId, side));
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null;
    if (code === 'BUDGET_SPENT' || code === 'DAILY_CAP_REACHED')
      await postponeLocked(deps, newcomerId, code === 'BUDGET_SPENT' ? 'budget' : 'cap');
    else throw error;
  }
}

async function payOnce(deps: PayDeps, tx: Tx, newcomerId: string, side: Side): Promise<void> {
  const row = await tx.referrals.lock(newcomerId);
  if (row?.state !== 'qualified' || row[side].state !== 'open') return;
  const [self, other] = side === 'newcomer' ? [row.newcomerId, row.referrerId] : [row.referrerId, row.newcomerId];
  // Locked, so that of a referrer's referrals one after the other is counted.
  const user = await tx.identity.lockUser(self);
  const { credits } = row[side];
  if (user?.status !== 'active') return closeSide(deps, tx, row, side, { state: 'refused', credits, txId: null });
  if (credits === 0) return closeSide(deps, tx, row, side, { state: 'none', credits, txId: null });
  if (user.verifiedMs === null && deps.asksVerification()) return postpone(deps, tx, row, 'unverified');
  if (side === 'referrer' && (await hasReachedMonthlyMax(deps, tx, self)))
    return postpone(deps, tx, row, 'monthly_max');
  const name = (await tx.identity.findUser(other))?.username ?? null;
  const reference = referenceOf(newcomerId, side);
  const reward = { userId: self, amount: credits, reference };
  const paid = await deps.payout.pay(tx, { ...reward, source: 'referral', subject: name });
  await closeSide(deps, tx, row, side, { state: paid.state, credits, txId: paid.txId });
  await deps.events.emit(tx, 'referral.paid', { ...reward, side, name: name ?? '', held: paid.state === 'held' });
}

/** The ledger's reference of one side's reward (behaviour 2, 4.4). */
export const referenceOf = (newcomerId: string, side: Side): string => `referral:${newcomerId}:${side}`;

async function hasReachedMonthlyMax({ clock, settings }: PayDeps, tx: Tx, referrerId: string): Promise<boolean> {
  const { referral_monthly_max: most, app_timezone: zone } = settings.current();
  return most > 0 && (await tx.referrals.rewardedSince(referrerId, monthStart(clock.now(), zone))) >= most;
}

/** Writes down what became of one side; the referral ends with its second one. */
async function closeSide({ clock }: PayDeps, tx: Tx, row: Referral, side: Side, part: Part): Promise<void> {
  const now = clock.now();
  const other = row[side === 'newcomer' ? 'referrer' : 'newcomer'];
  const over = other.state !== 'open';
  const counted = side === 'referrer' && (part.state === 'paid' || part.state === 'held');
  await tx.referrals.change(row.newcomerId, {
    [side]: part,
    ...(side === 'referrer' ? { reason: part.state === 'refused' ? 'referrer_gone' : null } : {}),
    ...(counted ? { referrerMs: now } : {}),
    ...(over ? { state: 'done', closedMs: now, network: null } : {}),
  });
}

/** What waits for another day is looked at within the hour, or with the next day where only that can change it. */
function postpone({ clock }: PayDeps, tx: Tx, row: Referral, reason: ReferralReason): Promise<void> {
  return tx.referrals.change(row.newcomerId, {
    reason,
    nextCheckMs: clock.now() + (reason === 'monthly_max' ? DAY / 4 : HOUR),
  });
}

function postponeLocked(deps: PayDeps, newcomerId: string, reason: ReferralReason): Promise<void> {
  return deps.uow.run(async (tx) => {
    const row = await tx.referrals.lock(newcomerId);
    if (row?.state === 'qualified') await postpone(deps, tx, row, reason);
  });
}
