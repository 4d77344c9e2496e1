import { withoutStaffRights } from '#shared/can.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { Actor } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { requiresSecondFactor, requiresVerification, type IdentityDeps } from './deps.ts';
import type { SessionRow, UserRow } from './ports.ts';
import { createTopicCache } from '../topic-cache.ts';
import { mayView, type Viewing } from './viewing.ts';

/** How long a session is valid after its last use, in ms (behaviour 3.3). */
export const SESSION_LIFE = 30 * DAY;
/** The use of a session is stored at most this often, in ms. */
const SEEN_INTERVAL = 5 * MINUTE;
/** Sessions cached in memory, and for how many ms one is used without asking the database. */
const MAX_CACHED = 10_000;
const MAX_CACHE_AGE = MINUTE;

/** The actor a session secret belongs to, whose session it is, and when it ends. */
interface ResolvedSession {
  /** Who asks: the session's user, or the user they view as. */
  readonly actor: Actor;
  /** The session's user. */
  readonly owner: Actor;
  readonly expiresMs: number;
}
interface CachedSession {
  readonly owner: Actor;
  /** What the session's row says of viewing as somebody. */
  readonly viewing: SessionRow['viewing'];
  /** The user viewed as; null where nobody is, or where it is not allowed any more. */
  readonly viewed: Actor | null;
  seenMs: number;
  expiresMs: number;
}

/** Who acts through a session. */
const toIdentity = ({ id, username, timeZone }: UserRow, session: SessionRow) => ({
  userId: id,
  sessionId: session.id,
  username,
  timeZone,
});

/** Resolves session secrets (behaviour 3.3) at every request, from memory while nothing changes. */
export function createSessionResolver(deps: IdentityDeps, { endOver }: Pick<Viewing, 'endOver'>) {
  const { uow, bus, clock, ids, log } = deps;
  const cache = createTopicCache<CachedSession>({
    bus,
    now: () => clock.now(),
    max: MAX_CACHED,
    maxAgeMs: MAX_CACHE_AGE,
    clearOn: ['settings.loaded', 'roles'],
  });

  async function loadSession(hash: string): Promise<CachedSession | null> {
    const found = await uow.read(async (tx) => {
      const session = await tx.identity.findSessionByHash(hash);
      const user = session && (await tx.identity.findUser(session.userId));
      if (!session || !user || user.status !== 'active') return null;
      const hasFactor = (await tx.factors.find(user.id))?.secret != null;
      const permissions = await tx.access.permissionsOf(user.roleId);
      const owner: Actor = {
        ...toIdentity(user, session),
        permissions,
        verified: isVerified(user),
        waiting: hasFactor && session.factorMs === null,
        mustSetUp: !hasFactor && requiresSecondFactor(deps, permissions),
      };
      return { session, owner, viewed: await loadViewed(tx, session, user, owner) };
    });
    if (!found) return null;
    const { session, owner, viewed } = found;
    return { owner, viewed, viewing: session.viewing, seenMs: session.seenMs, expiresMs: session.expiresMs };
  }

  const isVerified = ({ verifiedMs }: UserRow): boolean => verifiedMs !== null || !requiresVerification(deps);

  /**
   * The user a session views as, without any right of staff; null where nobody is viewed as, or where its own user may
   * not do that now.
   */
  async function loadViewed(tx: Tx, session: SessionRow, staff: UserRow, owner: Actor): Promise<Actor | null> {
    const user = session.viewing && (await tx.identity.findUser(session.viewing.userId));
    if (!session.viewing || !user || owner.waiting || owner.mustSetUp) return null;
    if (!(await mayView(tx, staff, user))) return null;
    return {
      ...toIdentity(user, session),
      permissions: withoutStaffRights(await tx.access.permissionsOf(user.roleId)),
      verified: isVerified(user),
      viewer: { userId: staff.id, username: staff.username, untilMs: session.viewing.untilMs },
    };
  }

  /**
   * The actor of a session secret; null when it is unknown, expired or ended. Cached until the session, its user, a
   * role or the settings change.
   */
  async function resolve(secret: string): Promise<ResolvedSession | null> {
    if (secret.length === 0 || secret.length > 200) return null;
    const hash = ids.hash(secret);
    const topics = async () => {
      const session = await uow.read((tx) => tx.identity.findSessionByHash(hash));
      if (!session) return null;
      const viewed = session.viewing ? [`account:${session.viewing.userId}`] : [];
      return [`session:${session.id}`, `account:${session.userId}`, ...viewed];
    };
    const cached = await cache.get(hash, topics, () => loadSession(hash));
    const now = clock.now();
    if (!cached || cached.expiresMs <= now) return null;
    if (now - cached.seenMs >= SEEN_INTERVAL) await recordUse(cached, now);
    const { owner, viewing, viewed, expiresMs } = cached;
    if (!viewing) return { actor: owner, owner, expiresMs };
    if (viewed && now < viewing.untilMs) return { actor: viewed, owner, expiresMs };
    await recordEnd(owner.sessionId, viewing);
    return { actor: owner, owner, expiresMs };
  }

  /** Stores that a viewing is over. A failure is logged and does not fail the request: it is over all the same. */
  async function recordEnd(sessionId: string, viewing: NonNullable<SessionRow['viewing']>): Promise<void> {
    try {
      await endOver(sessionId, viewing);
    } catch (error) {
      log.warn('session.viewing_end_failed', { session_id: sessionId, error: String(error) });
    }
  }

  /** Stores that a session is in use, which extends it. A failure is logged and does not fail the request. */
  async function recordUse(session: CachedSession, now: number): Promise<void> {
    session.seenMs = now;
    session.expiresMs = now + SESSION_LIFE;
    const { sessionId, userId } = session.owner;
    try {
      await uow.run((tx) => tx.identity.touchSession({ id: sessionId, userId }, now, now + SESSION_LIFE));
    } catch (error) {
      log.warn('session.touch_failed', { session_id: sessionId, error: String(error) });
    }
  }

  return resolve;
}
