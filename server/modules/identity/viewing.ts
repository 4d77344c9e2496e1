import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { MINUTE } from '#shared/time.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { toSignedIn, touchSessions, type IdentityDeps } from './deps.ts';
import type { SessionRow, UserRow } from './ports.ts';

/** How long staff view as a user before it ends by itself, in ms. */
const VIEWING_LIFE = 30 * MINUTE;
/** Viewings that one run of the task ends. */
const BATCH = 200;

type Standing = Pick<UserRow, 'id' | 'status' | 'roleId'>;
type ViewingOf = NonNullable<SessionRow['viewing']>;
/** How a viewing came to its end: by a click, by its time (or the right to it being gone), by a ban. */
type Ending = 'ended' | 'over' | 'banned';

/**
 * Whether a member of staff may view as a user: they edit users, both are in good standing, and the user's role stands
 * below theirs. Unlike other commands on users, `admin.root` makes no exception: nobody looks over the shoulder of an
 * equal (behaviour 8.3).
 */
export async function mayView(tx: Tx, staff: Standing, user: Standing): Promise<boolean> {
  if (staff.id === user.id || staff.status !== 'active' || user.status !== 'active') return false;
  if (!can(await tx.access.permissionsOf(staff.roleId), 'admin.users.edit')) return false;
  const [own, theirs] = [await tx.access.role(staff.roleId), await tx.access.role(user.roleId)];
  return own !== null && theirs !== null && theirs.rank < own.rank;
}

/**
 * Staff view as a user (behaviour 8.3; attacks T39): their own session shows what that user sees, for half an hour, and
 * changes nothing. What it is let into stands in http/viewing-endpoints.ts. It is a state of the session: it ends with
 * it, and leaves nothing behind that could be used afterwards.
 */
export function createViewing(deps: Pick<IdentityDeps, 'uow' | 'clock' | 'events'>) {
  const { uow, clock, events } = deps;

  /**
   * Begins to view as a user, who is notified. Throws NOT_FOUND, FORBIDDEN for a user of the caller's rank or above and
   * for who may not edit users, CONFLICT for a banned user and where the session has ended or views already.
   */
  function start(ctx: SignedIn, userId: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.lockUser(userId);
      if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
      if (user.status !== 'active') throw new DomainError('CONFLICT');
      const staff = await tx.identity.findUser(ctx.actor.userId);
      if (!staff || !(await mayView(tx, staff, user))) throw new DomainError('FORBIDDEN');
      const viewing = { userId, untilMs: clock.now() + VIEWING_LIFE };
      const { sessionId } = ctx.actor;
      if (!(await tx.identity.startViewing(sessionId, staff.id, viewing))) throw new DomainError('CONFLICT');
      await events.emit(tx, 'user.viewing_started', { ...viewing, username: user.username }, ctx);
      touchSessions(tx, [sessionId]);
    });
  }

  async function announceEnd(
    tx: Tx,
    ctx: Ctx | null,
    sessionId: string,
    userId: string,
    ending: Ending,
  ): Promise<void> {
    const user = await tx.identity.findUser(userId);
    await events.emit(tx, 'user.viewing_ended', { userId, username: user?.username ?? '', ending }, ctx);
    touchSessions(tx, [sessionId]);
  }

  /** Ends the caller's viewing. Returns the id of the user they viewed as; null when they view as nobody (any more). */
  async function end(ctx: SignedIn): Promise<string | null> {
    const { viewer, userId, sessionId } = ctx.actor;
    if (!viewer) return null;
    const staff = toSignedIn(ctx, { id: viewer.userId, username: viewer.username }, sessionId);
    await uow.run(async (tx) => {
      if (await tx.identity.endViewing(sessionId, { userId, untilMs: viewer.untilMs }))
        await announceEnd(tx, staff, sessionId, userId, 'ended');
    });
    return userId;
  }

  /** Ends a viewing whose time is over, or whose right is gone; once, however many notice it. */
  function endOver(sessionId: string, viewing: ViewingOf): Promise<void> {
    return uow.run(async (tx) => {
      if (await tx.identity.endViewing(sessionId, viewing))
        await announceEnd(tx, null, sessionId, viewing.userId, 'over');
    });
  }

  /** Ends every viewing whose time is over. For the scheduler. */
  async function endAllOver(): Promise<void> {
    const over = await uow.read((tx) => tx.identity.listEndedViewings(clock.now(), BATCH));
    for (const { id, ...viewing } of over) await endOver(id, viewing);
  }

  return { start, end, endOver, endAllOver };
}
export type Viewing = ReturnType<typeof createViewing>;

/** Ends every viewing as a user, in the transaction of the ban or deletion of that user. */
export async function endViewingsOf({ events }: Pick<IdentityDeps, 'events'>, tx: Tx, user: UserRow): Promise<void> {
  for (const id of await tx.identity.endViewingsOf(user.id)) {
    await events.emit(tx, 'user.viewing_ended', { userId: user.id, username: user.username, ending: 'banned' });
    touchSessions(tx, [id]);
  }
}
