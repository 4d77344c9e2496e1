import { DomainError } from '#shared/errors.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, type IdentityDeps } from './deps.ts';
import { deviceName } from './device.ts';
import type { SessionRow, UserRow } from './ports.ts';
import { createResolver, SESSION_LIFE } from './resolver.ts';

/** Sessions of one user; the longest unused end beyond it. */
const MOST_SESSIONS = 50;

/** A session just opened. The secret goes to the browser and is kept nowhere. */
export interface Opened {
  readonly secret: string;
  readonly sessionId: string;
}
interface SessionInfo extends Pick<SessionRow, 'id' | 'device' | 'address' | 'createdMs' | 'seenMs'> {
  readonly current: boolean;
}

/** Sessions (behaviour 3.3, 3.4): rows with a hashed secret, 30 days from their last use. */
export function createSessions(deps: IdentityDeps) {
  const { uow, clock, ids } = deps;
  const resolve = createResolver(deps);

  /**
   * Opens a session for a user. A session the browser held before (`oldSecret`) ends: every log-in rotates (attacks
   * T35).
   */
  async function open(tx: Tx, ctx: Ctx, user: UserRow, oldSecret: string | null): Promise<Opened> {
    const now = clock.now();
    const old = oldSecret ? await tx.identity.sessionByHash(ids.hash(oldSecret)) : null;
    if (old && (await tx.identity.endSession(old.id, old.userId))) touchSessions(tx, [old.id]);
    const secret = ids.token();
    const session: Omit<SessionRow, 'factorMs'> = {
      id: ids.uuid(),
      userId: user.id,
      tokenHash: ids.hash(secret),
      device: deviceName(ctx.userAgent),
      userAgent: ctx.userAgent.slice(0, 400),
      address: ctx.address,
      createdMs: now,
      seenMs: now,
      expiresMs: now + SESSION_LIFE,
    };
    await tx.identity.addSession(session);
    touchSessions(tx, await tx.identity.trimSessions(user.id, MOST_SESSIONS));
    return { secret, sessionId: session.id };
  }

  /** Opens a session without a log-in: for tools and tests, never over HTTP. */
  function openFor(userId: string, where: { address: string; userAgent: string }): Promise<Opened> {
    const ctx: Ctx = { actor: null, requestId: 'tool', locale: DEFAULT_LOCALE, ...where, idempotency: null };
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'active') throw new DomainError('NOT_FOUND');
      return open(tx, ctx, user, null);
    });
  }

  /** Ends the session of a secret, if there is one. */
  async function logout(ctx: Ctx, secret: string): Promise<void> {
    const found = await resolve(secret);
    if (!found) return;
    await uow.run(async (tx) => {
      if (!(await tx.identity.endSession(found.actor.sessionId, found.actor.userId))) return;
      touchSessions(tx, [found.actor.sessionId]);
      await writeAudit(
        tx,
        deps,
        { ...ctx, actor: found.actor },
        { action: 'account.logout', target: found.actor.userId },
      );
    });
  }

  /** The caller's sessions, the latest used first. */
  async function list(ctx: SignedIn): Promise<SessionInfo[]> {
    const rows = await uow.read((tx) => tx.identity.sessionsOf(ctx.actor.userId, clock.now()));
    return rows.map(({ id, device, address, createdMs, seenMs }) => ({
      id,
      device,
      address,
      createdMs,
      seenMs,
      current: id === ctx.actor.sessionId,
    }));
  }

  /** Ends one session of the caller's. Throws NOT_FOUND where it is none of theirs (attacks T24). */
  function end(ctx: SignedIn, sessionId: string): Promise<void> {
    return uow.run(async (tx) => {
      if (!(await tx.identity.endSession(sessionId, ctx.actor.userId))) throw new DomainError('NOT_FOUND');
      touchSessions(tx, [sessionId]);
      await writeAudit(tx, deps, ctx, { action: 'account.session_end', target: sessionId });
    });
  }

  /** Ends all of the caller's sessions but the one they speak through. How many ended. */
  function endOthers(ctx: SignedIn): Promise<number> {
    return uow.run(async (tx) => {
      const ended = await tx.identity.endSessions(ctx.actor.userId, ctx.actor.sessionId);
      touchSessions(tx, ended);
      if (ended.length > 0)
        await writeAudit(tx, deps, ctx, {
          action: 'account.sessions_end',
          target: ctx.actor.userId,
          after: { ended: ended.length },
        });
      return ended.length;
    });
  }

  return { open, openFor, resolve, logout, list, end, endOthers };
}
export type SessionsPart = ReturnType<typeof createSessions>;
