import type { Events } from '../../events/index.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { LongReads, UnitOfWork } from '../../tx.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Capacity } from '../capacity/index.ts';
import type { ServerHistory, ServerJobs, Settings } from '../core/index.ts';
import type { Debts } from '../debts/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Outages } from '../outages/index.ts';
import type { CallPanel } from '../panel/index.ts';
import type { Queries } from '../queries/index.ts';

/** What building servers needs. */
export interface BuildsDeps {
  readonly uow: UnitOfWork;
  /** Lists of staff: they are counted, and may be searched and sorted in ways that read every row. */
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly settings: Settings;
  readonly events: Pick<Events, 'emit'>;
  readonly jobs: ServerJobs;
  readonly history: ServerHistory;
  readonly callPanel: CallPanel;
  readonly accounts: Accounts;
  readonly capacity: Capacity;
  readonly debts: Debts;
  readonly lifecycle: Pick<Lifecycle, 'add' | 'cancelWaiting' | 'requeueFailed'>;
  readonly outages: Outages;
  readonly queries: Pick<Queries, 'options' | 'queueStatus'>;
}
