import { DAY, MINUTE } from '#shared/time.ts';
import type { Actor } from '../kernel.ts';
import { asksFactor, asksVerification, type IdentityDeps } from './deps.ts';
import { createTopicCache } from './topic-cache.ts';

/** Life of a session since its last use (behaviour 3.3). */
export const SESSION_LIFE = 30 * DAY;
/** Use of a session is written down at most so often. */
const SEEN_EVERY = 5 * MINUTE;
/** Known sessions kept in memory, and how long one is believed without asking the database. */
const CACHED = 10_000;
const CACHE_AGE = MINUTE;

/** Who a session secret belongs to. */
interface Resolved {
  readonly actor: Actor;
  readonly expiresMs: number;
}
interface Cached {
  readonly actor: Actor;
  seenMs: number;
  expiresMs: number;
}

/** Who speaks through a session (behaviour 3.3): asked at every request, answered from memory while nothing changes. */
export function createResolver(deps: IdentityDeps) {
  const { uow, bus, clock, ids, log } = deps;
  const cache = createTopicCache<Cached>({
    bus,
    now: () => clock.now(),
    max: CACHED,
    maxAgeMs: CACHE_AGE,
    clearOn: ['settings.loaded', 'roles'],
  });

  async function load(hash: string): Promise<Cached | null> {
    const found = await uow.read(async (tx) => {
      const session = await tx.identity.sessionByHash(hash);
      const user = session && (await tx.identity.user(session.userId));
      if (!session || !user || user.status !== 'active') return null;
      const factor = await tx.factors.find(user.id);
      return { session, user, factor: factor?.secret != null, permissions: await tx.access.permissionsOf(user.roleId) };
    });
    if (!found) return null;
    const { session, user, factor, permissions } = found;
    const verified = user.verifiedMs !== null || !asksVerification(deps);
    const actor: Actor = {
      userId: user.id,
      sessionId: session.id,
      username: user.username,
      permissions,
      verified,
      waiting: factor && session.factorMs === null,
      mustSetUp: !factor && asksFactor(deps, permissions),
    };
    return { actor, seenMs: session.seenMs, expiresMs: session.expiresMs };
  }

  /**
   * Who a session secret belongs to; null when it is unknown, expired or ended. Usually answered from memory, until the
   * session, its user, a role or the settings change.
   */
  async function resolve(secret: string): Promise<Resolved | null> {
    if (secret.length === 0 || secret.length > 200) return null;
    const hash = ids.hash(secret);
    const topics = async () => {
      const session = await uow.read((tx) => tx.identity.sessionByHash(hash));
      return session && [`session:${session.id}`, `account:${session.userId}`];
    };
    const found = await cache.get(hash, topics, () => load(hash));
    const now = clock.now();
    if (!found || found.expiresMs <= now) return null;
    if (now - found.seenMs >= SEEN_EVERY) await recordUse(found, now);
    return found;
  }

  /** Writes down that a session is in use, which moves its end. A failure to do so fails nobody's request. */
  async function recordUse(session: Cached, now: number): Promise<void> {
    session.seenMs = now;
    session.expiresMs = now + SESSION_LIFE;
    try {
      await uow.run((tx) => tx.identity.touchSession(session.actor.sessionId, now, now + SESSION_LIFE));
    } catch (error) {
      log.warn('session.see_failed', { session_id: session.actor.sessionId, error: String(error) });
    }
  }

  return resolve;
}
