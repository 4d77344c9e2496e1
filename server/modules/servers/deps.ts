import type { Events } from '../events/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { Limits, Settings } from './core/index.ts';
import type { PlayerQuery } from './live/index.ts';
import type { PanelRegistry } from './panel/index.ts';
import type { NextTime } from './schedules/ports.ts';

/** What the whole module is given. Only service.ts sees all of it; each submodule gets what its own deps.ts names. */
export interface ServersDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** 0 to 1: spreads pauses. */
  readonly random: () => number;
  readonly panels: PanelRegistry;
  readonly queryPlayers: PlayerQuery;
  readonly settings: Settings;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'hold' | 'capture' | 'release'>;
  readonly limits: Limits;
  readonly events: Pick<Events, 'emit'>;
  readonly nextTime: NextTime;
}
