import { createDiscord } from '../identity-providers/discord/index.ts';
import { createIdentities } from '../modules/identities/index.ts';
import type { Bus, Clock, Ids, Log, Sealer } from '../modules/kernel.ts';
import type { Notifications } from '../modules/notifications/index.ts';
import { createJ4r, j4rJobs, j4rTasks, type J4rDeps } from '../modules/rewards/j4r/index.ts';
import type { Settings } from '../modules/settings/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';
import type { Keyed } from '../modules/abuse/index.ts';
import type { Outbound } from '../outbound.ts';
import { VERSION } from '../version.ts';
import { href } from '#shared/routes/href.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: Settings;
  readonly sealer: Sealer;
  readonly notifications: Notifications;
  readonly appUrl: string;
  readonly outbound: Outbound;
  readonly keyed: Keyed;
}

/** Linked accounts and join for rewards over Discord (behaviour 3.6, 4.3). The second is made once there is a payout. */
export function composeDiscord(deps: Deps) {
  const { settings, clock, ids, log, appUrl } = deps;
  const discord = createDiscord({
    settings,
    clock,
    log,
    appUrl,
    version: VERSION,
    redirectUri: appUrl + href('account.discord'),
    hash: ids.hash,
    fetch: deps.outbound,
  });
  const identities = createIdentities({ ...deps, discord, mac: (text) => deps.keyed.mac('identity', text) });
  return {
    identities,
    j4r(money: Pick<J4rDeps, 'ledger' | 'counters' | 'payout'>) {
      const j4r = createJ4r({ ...deps, ...money, identities, discord });
      return { j4r, jobs: j4rJobs(j4r), tasks: j4rTasks(j4r, () => settings.current().j4r_enabled) };
    },
  };
}
