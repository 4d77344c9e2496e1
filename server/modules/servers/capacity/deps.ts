import type { Clock, Log } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerJobs } from '../core/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';

/** What capacity needs. */
export interface CapacityDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly panels: PanelRegistry;
  readonly jobs: Pick<ServerJobs, 'enqueueCapacity' | 'enqueueSync'>;
  readonly callPanel: CallPanel;
}
