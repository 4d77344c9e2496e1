import { DAY, HOUR } from '#shared/time.ts';
import type { Clock, SignedIn } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import { getServerFor, type Settings } from '../core/index.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: Settings;
}

/**
 * What a server used in each hour of the last days, for as long as that is kept (`server_usage_days`), the oldest
 * first; hours in which it did not run are missing, and of servers of other panels all. Throws NOT_FOUND, and FORBIDDEN
 * to whom its console is closed.
 */
export function createUsageHistory({ uow, clock, settings }: Deps) {
  return async (ctx: SignedIn, id: string) => {
    const days = settings.current().server_usage_days;
    const fromMs = Math.floor(clock.now() / HOUR) * HOUR - days * DAY;
    const hours = await uow.read(async (tx) => {
      await getServerFor(tx, ctx.actor, id, 'readConsole');
      return tx.serverUsage.list(id, fromMs);
    });
    return { days, hours };
  };
}
