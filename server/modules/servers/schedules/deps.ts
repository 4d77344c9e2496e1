import type { Clock, Ids } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerHistory, ServerJobs, Settings } from '../core/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';
import type { NextTime } from './ports.ts';

/** What schedules of servers need. */
export interface SchedulesDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Pick<Settings, 'current'>;
  readonly panels: PanelRegistry;
  readonly jobs: Pick<ServerJobs, 'enqueueScheduleStep'>;
  readonly history: Pick<ServerHistory, 'record'>;
  readonly callPanel: CallPanel;
  readonly nextTime: NextTime;
}
