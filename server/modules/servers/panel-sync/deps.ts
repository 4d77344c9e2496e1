import type { Events } from '../../events/index.ts';
import type { Clock, Log } from '../../kernel.ts';
import type { LongReads, UnitOfWork } from '../../tx.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Builds } from '../builds/index.ts';
import type { Capacity } from '../capacity/index.ts';
import type { ServerHistory, ServerJobs } from '../core/index.ts';
import type { Outages } from '../outages/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';

/** What keeping panels in step needs. */
export interface PanelSyncDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly log: Log;
  readonly panels: PanelRegistry;
  readonly events: Pick<Events, 'emit'>;
  readonly jobs: Pick<ServerJobs, 'enqueueCapacity' | 'enqueueSync'>;
  readonly history: ServerHistory;
  readonly callPanel: CallPanel;
  readonly accounts: Accounts;
  readonly capacity: Capacity;
  readonly outages: Outages;
  readonly builds: Pick<Builds, 'failBuild' | 'failServer' | 'maxWaitMs'>;
}
