import type { ScheduledTask } from '../jobs/scheduler.ts';
import type { Payout } from '../modules/rewards/payout/index.ts';
import { createEarlySupporters } from '../modules/rewards/early-supporters/index.ts';
import { createReferrals } from '../modules/rewards/referrals/index.ts';
import { MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Referrals (behaviour 4.4) and early supporters (4.7), who qualify alike, with their tasks. */
export function composeReferrals(deps: Foundation & { readonly payout: Payout }) {
  const { settings, mailing } = deps;
  /** Whether addresses have to be confirmed. */
  const asksVerification = () => settings.current().mail_verification && mailing.isConfigured();
  const referrals = createReferrals({
    ...deps,
    asksVerification,
    sharedIdentities: (tx, userId) => tx.identities.listUsersSharing(userId),
  });
  const earlySupporters = createEarlySupporters({ ...deps, asksVerification });
  const tasks: ScheduledTask[] = [
    { name: 'early_supporters.check', everyMs: MINUTE, run: async () => void (await earlySupporters.checkDue()) },
    { name: 'referrals.check', everyMs: MINUTE, run: async () => void (await referrals.checkDue()) },
  ];
  const subscriptions = [...referrals.subscriptions, ...earlySupporters.subscriptions];
  return { services: { referrals, earlySupporters, asksVerification }, subscriptions, tasks };
}
