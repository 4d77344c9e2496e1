import type { Events } from '../../events/index.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { LongReads, UnitOfWork } from '../../tx.ts';
import type { Builds } from '../builds/index.ts';
import type { ServerHistory, ServerJobs, Settings } from '../core/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Live } from '../live/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';
import type { PanelSync } from '../panel-sync/index.ts';

/** What the work of staff needs. */
export interface StaffDeps {
  readonly uow: UnitOfWork;
  /** Lists of staff: they are counted, and may be searched and sorted in ways that read every row. */
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly events: Pick<Events, 'emit'>;
  readonly jobs: ServerJobs;
  readonly history: ServerHistory;
  readonly panels: PanelRegistry;
  readonly callPanel: CallPanel;
  readonly builds: Builds;
  readonly lifecycle: Lifecycle;
  readonly live: Pick<Live, 'links'>;
  readonly panelSync: Pick<PanelSync, 'reconcile'>;
}
