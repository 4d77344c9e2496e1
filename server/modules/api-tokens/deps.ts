import type { Events } from '../events/index.ts';
import type { Bus, Clock, Ids, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ParseNetworks } from './ports.ts';

export interface ApiTokensDeps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly events: Pick<Events, 'emit'>;
  /** Whether addresses have to be confirmed. */
  readonly requiresVerification: () => boolean;
  /** Whether a user with these permissions must have a second factor. */
  readonly requiresSecondFactor: (permissions: readonly string[]) => boolean;
  readonly parseNetworks: ParseNetworks;
}
