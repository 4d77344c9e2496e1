import { DomainError } from '#shared/errors.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import { deviceName, writeAudit } from '../audit/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import type { NewSession, SessionRow, UserRow } from './ports.ts';
import { createSessionResolver, SESSION_LIFE } from './resolver.ts';
import type { Viewing } from './viewing.ts';

/** Most sessions of one user; beyond it the least recently used end. */
const MAX_SESSIONS = 50;

/** A session just opened. The secret goes to the browser and is stored nowhere. */
export interface OpenedSession {
  readonly secret: string;
  readonly sessionId: string;
}
interface SessionInfo extends Pick<SessionRow, 'id' | 'device' | 'address' | 'createdMs' | 'seenMs' | 'factorMs'> {
  readonly current: boolean;
}

/** Sessions (behaviour 3.3, 3.4): rows with a hashed secret, 30 days from their last use. */
export function createSessions(deps: IdentityDeps, viewing: Pick<Viewing, 'endOver'>) {
  const { uow, clock, ids } = deps;
  const resolve = createSessionResolver(deps, viewing);

  /**
   * Opens a session for a user, bound to the browser where it is known (behaviour 3.11). The browser's previous session
   * ends: every log-in rotates (attacks T35).
   */
  async function open(tx: Tx, ctx: Ctx, user: UserRow, browser: Browser | null): Promise<OpenedSession> {
    const now = clock.now();
    const old = browser?.secret ? await tx.identity.findSessionByHash(ids.hash(browser.secret)) : null;
    if (old && (await tx.identity.endSession(old.id, old.userId))) touchSessions(tx, [old.id]);
    const secret = ids.token();
    const session: NewSession = {
      id: ids.uuid(),
      userId: user.id,
      tokenHash: ids.hash(secret),
      device: deviceName(ctx.userAgent),
      userAgent: ctx.userAgent.slice(0, 400),
      address: ctx.address,
      createdMs: now,
      seenMs: now,
      expiresMs: now + SESSION_LIFE,
      boundDevice: browser?.device ? ids.hash(browser.device) : null,
    };
    await tx.identity.addSession(session);
    touchSessions(tx, await tx.identity.trimSessions(user.id, MAX_SESSIONS));
    return { secret, sessionId: session.id };
  }

  /** Opens a session without a log-in, for tools and tests, never over HTTP. Throws NOT_FOUND unless the user is active. */
  function openForUser(userId: string, client: { address: string; userAgent: string }): Promise<OpenedSession> {
    const ctx: Ctx = { actor: null, requestId: 'tool', locale: DEFAULT_LOCALE, ...client, idempotency: null };
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'active') throw new DomainError('NOT_FOUND');
      return open(tx, ctx, user, null);
    });
  }

  /** Ends the session of a secret, if there is one. */
  async function logout(ctx: Ctx, secret: string): Promise<void> {
    // Who views as somebody logs themselves out.
    const owner = (await resolve(secret))?.owner;
    if (!owner) return;
    await uow.run(async (tx) => {
      if (!(await tx.identity.endSession(owner.sessionId, owner.userId))) return;
      touchSessions(tx, [owner.sessionId]);
      await writeAudit(tx, deps, { ...ctx, actor: owner }, { action: 'account.logout', target: owner.userId });
    });
  }

  /** The caller's sessions, last used first. */
  async function list(ctx: SignedIn): Promise<SessionInfo[]> {
    const rows = await uow.read((tx) => tx.identity.listSessions(ctx.actor.userId, clock.now()));
    return rows.map(({ id, device, address, createdMs, seenMs, factorMs }) => ({
      id,
      device,
      address,
      createdMs,
      seenMs,
      factorMs,
      current: id === ctx.actor.sessionId,
    }));
  }

  /** Ends a session of the caller. Throws NOT_FOUND when it is not theirs (attacks T24). */
  function end(ctx: SignedIn, sessionId: string): Promise<void> {
    return uow.run(async (tx) => {
      if (!(await tx.identity.endSession(sessionId, ctx.actor.userId))) throw new DomainError('NOT_FOUND');
      touchSessions(tx, [sessionId]);
      await writeAudit(tx, deps, ctx, { action: 'account.session_end', target: sessionId });
    });
  }

  /** Ends all of the caller's sessions but the present one. Returns how many ended. */
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

  return { open, openForUser, resolve, logout, list, end, endOthers };
}
export type Sessions = ReturnType<typeof createSessions>;
