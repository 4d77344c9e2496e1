import { HOUR } from '#shared/time.ts';
import type { ServerEvent } from '#shared/server-codes.ts';
import type { SignedIn } from '../../kernel.ts';
import type { LiveDeps } from './deps.ts';

/** Events that are remembered; beyond that all are forgotten, and one is noted once more. */
const MOST_KEPT = 5000;

/**
 * Notes in the history of a server what somebody does there again and again (commands, files): once an hour for each
 * person and kind, so that an afternoon of work does not push everything else out of sight. Remembered in this process:
 * after a restart it may be noted once more.
 */
export function createHourlyEvents({ uow, clock, history }: Pick<LiveDeps, 'uow' | 'clock' | 'history'>) {
  const noted = new Map<string, number>();
  return async (ctx: SignedIn, id: string, event: ServerEvent): Promise<void> => {
    const { userId } = ctx.actor;
    const now = clock.now();
    const key = `${id}:${userId}:${event}`;
    if (now - (noted.get(key) ?? -HOUR) < HOUR) return;
    if (noted.size >= MOST_KEPT) noted.clear();
    noted.set(key, now);
    await uow.run(async (tx) => {
      const server = await tx.servers.find(id);
      if (server) await history.record(tx, server, event, null, userId);
    });
  };
}
