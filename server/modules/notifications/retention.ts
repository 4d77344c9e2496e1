import { DAY } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** How long notifications are kept. */
const KEEP_MS = 180 * DAY;
/** Rows of one transaction: other writers wait meanwhile. */
const SLICE = 500;

/** Deletes the notifications that are older than half a year. */
export async function purgeNotifications({
  uow,
  clock,
}: {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
}): Promise<void> {
  const before = clock.now() - KEEP_MS;
  while ((await uow.run((tx) => tx.notifications.purge(before, SLICE))) === SLICE);
}
