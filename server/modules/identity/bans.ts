import { DomainError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';

/** Bans (behaviour 3.9). Other modules (servers, leaderboards) react to the event. */
export function createBans(deps: IdentityDeps) {
  const { uow, clock } = deps;

  /**
   * Bans a user until `untilMs` (UTC ms; null: for good). Their sessions end, and with them streams and earning
   * (behaviour 3.9; attacks T34). Throws NOT_FOUND.
   */
  function ban(
    ctx: Ctx | null,
    userId: string,
    { reason, untilMs }: { reason: string; untilMs: number | null },
  ): Promise<void> {
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
      await tx.identity.setStatus(userId, 'banned', { reason, untilMs }, clock.now());
      touchSessions(tx, await tx.identity.endSessions(userId, null));
      await deps.events.emit(tx, 'user.banned', { userId, status: user.status, reason, untilMs }, ctx);
      touchUser(tx, userId);
    });
  }

  /** Lifts a ban. Throws NOT_FOUND when the user is not banned. */
  function unban(ctx: Ctx | null, userId: string): Promise<void> {
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'banned') throw new DomainError('NOT_FOUND');
      await tx.identity.setStatus(userId, 'active', { reason: null, untilMs: null }, clock.now());
      await deps.events.emit(tx, 'user.unbanned', { userId, reason: user.banReason }, ctx);
      touchUser(tx, userId);
    });
  }

  return { ban, unban };
}
