import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import { deleteInSlices } from '../retention.ts';
import type { UnitOfWork } from '../tx.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}

/** Deletes the notifications that are older than `notification_days`. */
export function purgeNotifications({ uow, clock, settings }: Deps): Promise<void> {
  const before = clock.now() - settings.current().notification_days * DAY;
  return deleteInSlices(uow, (tx, limit) => tx.notifications.purge(before, limit));
}
