import type { Clock, Ids, Log } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerJobs } from '../core/index.ts';
import type { CallPanel } from '../panel/index.ts';

/** What panel accounts need. */
export interface AccountsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly jobs: Pick<ServerJobs, 'enqueueAccount'>;
  readonly callPanel: CallPanel;
}
