import type { Events } from '../../events/index.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerHistory } from '../core/index.ts';
import type { PanelRegistry } from '../panel/index.ts';

/** What sub-users need. */
export interface SubusersDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly history: ServerHistory;
  readonly panels: Pick<PanelRegistry, 'find'>;
}
