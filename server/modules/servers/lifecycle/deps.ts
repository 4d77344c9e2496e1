import type { Events } from '../../events/index.ts';
import type { Clock, Ids, Log } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { LongReads, UnitOfWork } from '../../tx.ts';
import type { Capacity } from '../capacity/index.ts';
import type { Limits, ServerHistory, ServerJobs, Settings } from '../core/index.ts';
import type { Debts } from '../debts/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';

/** What the life of a server needs. */
export interface LifecycleDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: Settings;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance'>;
  readonly limits: Limits;
  readonly events: Pick<Events, 'emit'>;
  readonly jobs: ServerJobs;
  readonly history: ServerHistory;
  readonly panels: Pick<PanelRegistry, 'find'>;
  readonly callPanel: CallPanel;
  readonly capacity: Capacity;
  readonly debts: Debts;
}
