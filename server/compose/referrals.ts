import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createLinkProviders } from '../link-providers/index.ts';
import type { Mailing } from '../modules/mailing/index.ts';
import { createLinks, type LinksDeps } from '../modules/rewards/links/index.ts';
import { createReferrals, type ReferralsDeps } from '../modules/rewards/referrals/index.ts';
import type { Tx } from '../modules/tx.ts';
import type { Outbound } from '../outbound.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { VERSION } from '../version.ts';

interface Deps extends Omit<LinksDeps, 'providers'>, Pick<ReferralsDeps, 'notifications'> {
  readonly mailing: Pick<Mailing, 'configured'>;
  readonly outbound: Outbound;
}

/** Referrals and links for rewards (behaviour 4.4, 4.5), with their adapters and turns. */
export function composeInvites(deps: Deps) {
  const { settings, mailing, appUrl } = deps;
  const asksVerification = () => settings.current().mail_verification && mailing.configured();
  const referrals = createReferrals({
    ...deps,
    asksVerification,
    sharedIdentities: (tx, userId) => tx.identities.sharedWith(userId),
  });
  const providers = createLinkProviders({
    settings,
    fetch: deps.outbound,
    userAgent: `Spawnpoint/${VERSION} (+${appUrl})`,
  });
  const links = createLinks({ ...deps, providers });
  const tasks: ScheduledTask[] = [
    { name: 'referrals.check', everyMs: MINUTE, run: async () => void (await referrals.checkDue()) },
    { name: 'links.tidy', everyMs: HOUR, run: () => links.tidy() },
  ];
  /** A held reward was decided: noted where it was one of these. */
  const recordDecision = async (tx: Tx, reference: string, outcome: 'released' | 'rejected') =>
    (await referrals.recordDecision(tx, reference, outcome)) || (await links.recordDecision(tx, reference, outcome));
  return { referrals, links, recordDecision, asksVerification, tasks };
}
