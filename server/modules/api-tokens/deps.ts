import type { Events } from '../events/index.ts';
import type { Bus, Clock, Ids, Log } from '../kernel.ts';
import type { Mailing } from '../mailing/index.ts';
import type { Settings } from '../settings/index.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ParseNetworks } from './ports.ts';

export interface ApiTokensDeps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly events: Pick<Events, 'emit'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly mailing: Pick<Mailing, 'isConfigured'>;
  readonly parseNetworks: ParseNetworks;
}
