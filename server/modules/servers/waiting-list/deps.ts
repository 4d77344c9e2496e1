import type { Events } from '../../events/index.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { Capacity } from '../capacity/index.ts';

/** What the waiting list needs. */
export interface WaitingListDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly capacity: Pick<Capacity, 'load'>;
}
