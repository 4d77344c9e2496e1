import { afkHandlers } from '../api/afk.ts';
import { j4rHandlers } from '../api/j4r.ts';
import { linksHandlers } from '../api/links.ts';
import { redeemHandlers, redemptionsHandlers } from '../api/redeem.ts';
import type { Clock, Ids } from '../modules/kernel.ts';
import type { Counters } from '../modules/rewards/counters/index.ts';
import type { Payout } from '../modules/rewards/payout/index.ts';
import { createRedeem } from '../modules/rewards/redeem/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';
import type { SettingValues } from '#shared/settings.ts';

/** What a source is made of. */
interface SourceDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly payout: Payout;
  readonly counters: Counters;
  readonly settings: { current(): SettingValues };
}

/**
 * The earning sources that need nothing but the ways of earning themselves (decision 032). What needs adapters or jobs
 * of its own (Discord, sponsors' links, referrals, AFK's streams) is put together in a file of its own.
 */
export function composeSources(deps: SourceDeps) {
  return { redeem: createRedeem(deps) };
}

type SourceServices = Parameters<typeof afkHandlers>[0] &
  Parameters<typeof j4rHandlers>[0] &
  Parameters<typeof linksHandlers>[0] &
  Parameters<typeof redeemHandlers>[0];

/** The endpoints of the earning sources. */
export function sourceHandlers(services: SourceServices) {
  return {
    afk: afkHandlers(services),
    j4r: j4rHandlers(services),
    links: linksHandlers(services),
    redeem: redeemHandlers(services),
    adminRedemptions: redemptionsHandlers(services),
  };
}
