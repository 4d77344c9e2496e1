import { HOUR } from '#shared/time.ts';
import type { Clock, SignedIn } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerAccess, ServerAct, ServerHistory } from '../core/index.ts';

/** Things that are remembered; beyond that all are forgotten, and one is noted once more. */
const MOST_KEPT = 5000;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly history: ServerHistory;
}
export type ActNotes = ReturnType<typeof createActNotes>;

/**
 * Notes what somebody does on a server again and again (commands, files, reading): in its history once an hour for each
 * person and kind, so that an afternoon of work does not push everything else out of sight. Remembered in this process:
 * after a restart it may be noted once more.
 */
export function createActNotes({ uow, clock, history }: Deps) {
  const noted = new Map<string, number>();
  function isFirstOfHour(key: string): boolean {
    const now = clock.now();
    if (now - (noted.get(key) ?? -HOUR) < HOUR) return false;
    if (noted.size >= MOST_KEPT) noted.clear();
    noted.set(key, now);
    return true;
  }
  const write = (ctx: SignedIn, { server: { id }, as }: ServerAccess, act: ServerAct) =>
    uow.run(async (tx) => {
      const server = await tx.servers.find(id);
      if (server) await history.recordAct(tx, ctx, { server, as }, act);
    });
  return {
    /** Work: what staff do is in the audit log each time. */
    async worked(ctx: SignedIn, access: ServerAccess, act: ServerAct): Promise<void> {
      const isFirst = isFirstOfHour(`${access.server.id}:${ctx.actor.userId}:${access.as}:${act.event}`);
      if (isFirst || access.as === 'staff') await write(ctx, access, isFirst ? act : { ...act, event: null });
    },
    /** That staff opened the page of a server or its console, once an hour in the audit log as well. */
    async opened(ctx: SignedIn, access: ServerAccess, what: 'page' | 'console'): Promise<void> {
      if (access.as !== 'staff') return;
      const key = `${access.server.id}:${ctx.actor.userId}:staff:opened`;
      if (!isFirstOfHour(`${key}:${what}`)) return;
      const event = isFirstOfHour(key) ? 'opened' : null;
      await write(ctx, access, { event, audit: { action: 'servers.open', after: { what } } });
    },
  };
}
