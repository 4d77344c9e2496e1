import type { BanNotice } from '#shared/errors.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { iso } from '#shared/time.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import type { UserRow } from './ports.ts';
import { endViewingsOf } from './viewing.ts';

/** Ended bans that one run of the task lifts. */
const BATCH = 200;

/** Why somebody is banned, and until when (UTC ms; null: for good; absent: as they are banned already). */
interface BanTerms {
  readonly reason: string;
  readonly untilMs?: number | null;
}

/** Whether a user is banned at a moment: a ban whose time is over counts no more. */
export function isBanned({ status, bannedUntilMs }: UserRow, nowMs: number): boolean {
  return status === 'banned' && (bannedUntilMs === null || bannedUntilMs > nowMs);
}

/** The refusal of a banned user: why, until when, and where to appeal (setting `ban_appeal`). */
export function bannedError({ settings }: Pick<IdentityDeps, 'settings'>, user: UserRow): DomainError {
  const ban: BanNotice = {
    reason: user.banReason ?? '',
    until: iso(user.bannedUntilMs),
    appeal: settings.current().ban_appeal,
  };
  return new DomainError('ACCOUNT_BANNED', { ban });
}

/** Bans (behaviour 3.9). Other modules (servers, leaderboards) react to the event. */
export function createBans(deps: IdentityDeps) {
  const { uow, clock, access } = deps;

  /** The user, locked. Throws NOT_FOUND, and FORBIDDEN where the caller may not ban or unban them. */
  async function lockFor(tx: Tx, ctx: Ctx | null, userId: string): Promise<UserRow> {
    const staff = ctx && signedIn(ctx);
    if (staff) assertMay(staff, 'admin.users.edit');
    const user = await tx.identity.lockUser(userId);
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    if (!staff) return user;
    if (staff.actor.userId === userId) throw new DomainError('FORBIDDEN');
    await assertOutranks(tx, staff, user.roleId);
    return user;
  }

  /**
   * Bans a user, or changes the terms of their ban. Their sessions end, and with them streams and earning (behaviour
   * 3.9; attacks T34). In: who bans (null: the operator's command line). Throws NOT_FOUND, FORBIDDEN for oneself and
   * for a user of the caller's rank or above, LAST_OWNER, VALIDATION_FAILED for an end that is past, and at `days`
   * where there is no ban whose end could stay.
   */
  function ban(ctx: Ctx | null, userId: string, { reason, untilMs: wantedMs }: BanTerms): Promise<void> {
    return uow.run(async (tx) => {
      // Before the user's row, as whoever changes roles does: in the other order two of them could wait for each other.
      await tx.access.lock();
      const user = await lockFor(tx, ctx, userId);
      const now = clock.now();
      if (wantedMs === undefined && !isBanned(user, now)) throw fieldError('days', 'REQUIRED');
      const untilMs = wantedMs === undefined ? user.bannedUntilMs : wantedMs;
      if (untilMs !== null && untilMs <= now)
        throw new DomainError('VALIDATION_FAILED', { fields: { until: ['INVALID_DATE'] } });
      await access.assertNotLastOwner(tx, userId);
      await tx.identity.setStatus(userId, 'banned', { reason, untilMs, by: ctx?.actor?.userId ?? null }, now);
      touchSessions(tx, await tx.identity.endSessions(userId, null));
      await endViewingsOf(deps, tx, user);
      await deps.events.emit(tx, 'user.banned', { userId, status: user.status, reason, untilMs }, ctx);
      touchUser(tx, userId);
    });
  }

  /** Lifts a ban. Throws NOT_FOUND when the user is not banned, FORBIDDEN as `ban` does. */
  function unban(ctx: Ctx | null, userId: string): Promise<void> {
    return uow.run(async (tx) => {
      const user = await lockFor(tx, ctx, userId);
      if (user.status !== 'banned') throw new DomainError('NOT_FOUND');
      await tx.identity.setStatus(userId, 'active', { reason: null, untilMs: null }, clock.now());
      await deps.events.emit(tx, 'user.unbanned', { userId, reason: user.banReason }, ctx);
      touchUser(tx, userId);
    });
  }

  /** Lifts the bans whose time is over, so that servers come back without a log-in. For the scheduler. */
  async function liftEnded(): Promise<void> {
    const ended = await uow.read((tx) => tx.identity.listEndedBans(clock.now(), BATCH));
    for (const userId of ended) {
      await uow.run(async (tx) => {
        const user = await tx.identity.lockUser(userId);
        if (user?.status === 'banned' && !isBanned(user, clock.now())) await expireBan(deps, tx, userId);
      });
    }
  }

  return { ban, unban, liftEndedBans: liftEnded };
}

/** Makes an account active whose ban has ended. The caller holds the lock of the user's row. */
export async function expireBan(
  { clock, events }: Pick<IdentityDeps, 'clock' | 'events'>,
  tx: Tx,
  userId: string,
): Promise<void> {
  await tx.identity.setStatus(userId, 'active', { reason: null, untilMs: null }, clock.now());
  await events.emit(tx, 'user.ban_expired', { userId });
  touchUser(tx, userId);
}

function signedIn(ctx: Ctx): SignedIn {
  if (!ctx.actor) throw new DomainError('UNAUTHENTICATED');
  return { ...ctx, actor: ctx.actor };
}
