import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** Most rows that one transaction takes. */
const SLICE = 500;

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
    while ((await uow.run((tx) => tx.audit.forget(beforeMs, SLICE))) === SLICE);
  };
}
