import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../events/index.ts';
import type { Clock, Ids, Log, Sealer } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Counters } from '../rewards/counters/index.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { Keyed, LinkedIdentity, Networks, VpnProvider } from './ports.ts';

/** Who knows about linked identities. */
interface Identities {
  listByUser(tx: Tx, userId: string): Promise<readonly LinkedIdentity[]>;
}

export interface AbuseDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly ledger: Pick<Ledger, 'holdReward' | 'growReward' | 'releaseReward' | 'capture'>;
  /** Cap and budget, where a reward that is taken back gives its share of the day back. */
  readonly counters: Pick<Counters, 'today' | 'uncount' | 'lock'>;
  readonly events: Pick<Events, 'emit'>;
  readonly keyed: Keyed;
  readonly sealer: Sealer;
  readonly networks: Networks;
  readonly vpnProvider: VpnProvider;
  /** Accounts elsewhere that a user linked; nobody linked any when absent. */
  readonly identities?: Identities;
}
