import { DAY, MINUTE } from '#shared/time.ts';
import type { Actor } from '../kernel.ts';
import { requiresSecondFactor, requiresVerification, type IdentityDeps } from './deps.ts';
import { createTopicCache } from './topic-cache.ts';

/** How long a session is valid after its last use, in ms (behaviour 3.3). */
export const SESSION_LIFE = 30 * DAY;
/** The use of a session is stored at most this often, in ms. */
const SEEN_INTERVAL = 5 * MINUTE;
/** Sessions cached in memory, and for how many ms one is used without asking the database. */
const MAX_CACHED = 10_000;
const MAX_CACHE_AGE = MINUTE;

/** The actor a session secret belongs to, and when the session ends. */
interface ResolvedSession {
  readonly actor: Actor;
  readonly expiresMs: number;
}
interface CachedSession {
  readonly actor: Actor;
  seenMs: number;
  expiresMs: number;
}

/** Resolves session secrets (behaviour 3.3) at every request, from memory while nothing changes. */
export function createSessionResolver(deps: IdentityDeps) {
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
      const factor = await tx.factors.find(user.id);
      return {
        session,
        user,
        hasFactor: factor?.secret != null,
        permissions: await tx.access.permissionsOf(user.roleId),
      };
    });
    if (!found) return null;
    const { session, user, hasFactor, permissions } = found;
    const verified = user.verifiedMs !== null || !requiresVerification(deps);
    const actor: Actor = {
      userId: user.id,
      sessionId: session.id,
      username: user.username,
      permissions,
      verified,
      waiting: hasFactor && session.factorMs === null,
      mustSetUp: !hasFactor && requiresSecondFactor(deps, permissions),
    };
    return { actor, seenMs: session.seenMs, expiresMs: session.expiresMs };
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
      return session && [`session:${session.id}`, `account:${session.userId}`];
    };
    const cached = await cache.get(hash, topics, () => loadSession(hash));
    const now = clock.now();
    if (!cached || cached.expiresMs <= now) return null;
    if (now - cached.seenMs >= SEEN_INTERVAL) await recordUse(cached, now);
    return cached;
  }

  /** Stores that a session is in use, which extends it. A failure is logged and does not fail the request. */
  async function recordUse(session: CachedSession, now: number): Promise<void> {
    session.seenMs = now;
    session.expiresMs = now + SESSION_LIFE;
    const { sessionId, userId } = session.actor;
    try {
      await uow.run((tx) => tx.identity.touchSession({ id: sessionId, userId }, now, now + SESSION_LIFE));
    } catch (error) {
      log.warn('session.touch_failed', { session_id: sessionId, error: String(error) });
    }
  }

  return resolve;
}
