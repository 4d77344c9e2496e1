import { DAY, SECOND } from '#shared/time.ts';
import type { Events } from '../events/index.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import { OUTAGE_MS } from './policy.ts';

/** How often a process says that it runs. */
const BEAT_MS = 30 * SECOND;
/** How long downtimes are remembered: longer than anything that is announced takes to come. */
const KEEP_MS = 180 * DAY;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly events: Pick<Events, 'emit'>;
}

/**
 * When the product ran and when it did not. All processes over one database share one row, so only a time in which none
 * of them ran is an downtime; a killed process leaves its last beat behind. A clock that was set back forgets downtimes
 * that have not been yet.
 */
export function createUptime({ uow, clock, events }: Deps) {
  let lastMs: number | null = null;

  /**
   * Notes that this process runs, at most twice a minute, and the downtime that ends with it. To be called before
   * anything acts on time that has passed.
   */
  async function beat(): Promise<void> {
    const now = clock.now();
    if (lastMs !== null && now >= lastMs && now - lastMs < BEAT_MS) return;
    await uow.run(async (tx) => {
      const before = await tx.uptime.lockBeat();
      await tx.uptime.saveBeat(now);
      if (before === null) return;
      if (now < before) return tx.uptime.forget({ afterMs: now });
      if (now - before < OUTAGE_MS) return;
      const downtime = { fromMs: before, untilMs: now };
      await tx.uptime.addDowntime(downtime);
      await tx.uptime.forget({ beforeMs: now - KEEP_MS });
      await events.emit(tx, 'installation.resumed', downtime);
    });
    lastMs = now;
  }

  return { beat };
}
