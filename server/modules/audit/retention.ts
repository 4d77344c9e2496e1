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

/**
 * Keeps what is personal in the audit log for `activity_days` only (attacks T56): what users did to their own accounts
 * is deleted then, and of every other row the address and the device go; who changed what stays. Out: the task of the
 * scheduler.
 */
export function createAuditRetention({ uow, clock, settings }: Deps): () => Promise<void> {
  return async () => {
    const beforeMs = clock.now() - settings.current().activity_days * DAY;
    await deleteInSlices(uow, (tx, limit) => tx.audit.forget(beforeMs, limit));
  };
}
