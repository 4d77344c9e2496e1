import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { createTopicCache } from '../topic-cache.ts';
import type { Actor } from '../kernel.ts';
import type { ApiTokensDeps } from './deps.ts';
import { permissionsWithin } from './policy.ts';
import type { ApiTokenRow, ParseNetworks } from './ports.ts';

/** The use of a token is stored at most this often, in ms. */
const USE_INTERVAL = MINUTE;
/** Tokens kept in memory, and for how many ms one is used without asking the database. */
const MAX_CACHED = 10_000;
const MAX_CACHE_AGE = MINUTE;

interface CachedToken {
  readonly actor: Actor;
  /** Null: from everywhere. */
  readonly networks: ReturnType<ParseNetworks>['set'] | null;
  readonly expiresMs: number | null;
  usedMs: number;
}

/** Resolves API tokens at every request, from memory while nothing changes. */
export function createTokenResolver(deps: ApiTokensDeps) {
  const { uow, bus, clock, ids, log } = deps;
  const cache = createTopicCache<CachedToken>({
    bus,
    now: () => clock.now(),
    max: MAX_CACHED,
    maxAgeMs: MAX_CACHE_AGE,
    clearOn: ['settings.loaded', 'roles'],
  });

  async function load(hash: string): Promise<CachedToken | null> {
    const found = await uow.read(async (tx) => {
      const token = await tx.apiTokens.findByHash(hash);
      const user = token && (await tx.identity.findUser(token.userId));
      if (!token || !user || user.status !== 'active') return null;
      const factor = await tx.factors.find(user.id);
      return { token, user, factor, permissions: await tx.access.permissionsOf(user.roleId) };
    });
    if (!found) return null;
    const { token, user, factor, permissions } = found;
    const actor: Actor = {
      userId: user.id,
      sessionId: '',
      username: user.username,
      timeZone: user.timeZone,
      permissions: permissionsWithin(permissions, token.scopes),
      verified: user.verifiedMs !== null || !deps.requiresVerification(),
      mustSetUp: factor?.secret == null && deps.requiresSecondFactor(permissions),
      token: { id: token.id, scopes: token.scopes },
    };
    return {
      actor,
      networks: networksOf(token),
      expiresMs: token.expiresMs,
      usedMs: token.usedMs ?? 0,
    };
  }

  function networksOf({ addresses }: ApiTokenRow): CachedToken['networks'] {
    return addresses.length === 0 ? null : deps.parseNetworks(addresses.join('\n')).set;
  }

  /**
   * Who a token acts for, from an address; null when it is unknown, revoked or expired, or its user is banned or gone.
   * The actor has the permissions of the token alone. Throws TOKEN_ADDRESS_REFUSED where it may not be used from
   * there.
   */
  async function resolve(secret: string, address: string): Promise<Actor | null> {
    const hash = ids.hash(secret);
    const topics = async () => {
      const token = await uow.read((tx) => tx.apiTokens.findByHash(hash));
      return token && [`token:${token.id}`, `account:${token.userId}`];
    };
    const cached = await cache.get(hash, topics, () => load(hash));
    const now = clock.now();
    if (!cached || (cached.expiresMs !== null && cached.expiresMs <= now)) return null;
    if (cached.networks && !cached.networks.has(address)) throw new DomainError('TOKEN_ADDRESS_REFUSED');
    if (now - cached.usedMs >= USE_INTERVAL) await recordUse(cached, now, address);
    return cached.actor;
  }

  /** Stores that a token is in use. A failure is logged and does not fail the request. */
  async function recordUse(cached: CachedToken, now: number, address: string): Promise<void> {
    const id = cached.actor.token?.id ?? '';
    cached.usedMs = now;
    try {
      await uow.run((tx) => tx.apiTokens.recordUse(id, now, address));
    } catch (error) {
      log.warn('token.use_failed', { token_id: id, error: String(error) });
    }
  }

  return resolve;
}
