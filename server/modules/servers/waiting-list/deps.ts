import type { Clock, Ids } from '../../kernel.ts';
import type { Mailing } from '../../mailing/index.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { Capacity } from '../capacity/index.ts';
import type { Notifications } from '../core/index.ts';

/** What the waiting list needs. */
export interface WaitingListDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'sendTo'>;
  readonly notifications: Notifications;
  readonly capacity: Pick<Capacity, 'load'>;
}
