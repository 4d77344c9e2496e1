import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError } from '#shared/errors.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import { LIMITS, type LimitName } from '#shared/limits.ts';
import { can } from '#shared/permissions.ts';
import { hasScope } from '#shared/token-scopes.ts';
import type { Actor } from '#server/modules/kernel.ts';
import type { CallInfo } from './implement.types.ts';
import { addressKey } from './peer.ts';
import { scopeFor } from './token-endpoints.ts';
import { isOpenToViewing } from './viewing-endpoints.ts';

export interface AuthorizeDeps {
  /**
   * The user of a session secret or an API token that was sent from an address; null where it is unknown, expired or
   * revoked. Throws TOKEN_ADDRESS_REFUSED for a token that may not be used from there.
   */
  readonly resolve: (secret: string, address: string) => Promise<Actor | null>;
  /** Flags and the other switches of features. */
  readonly flags: () => Readonly<Record<FeatureSwitch, boolean>>;
  /** Counts a call against a limit, by key. Out: 0, or the seconds until the limit allows another. */
  readonly takeLimit: (name: LimitName, key: string) => number | Promise<number>;
}

type NamedEndpoint = Endpoint & { readonly name: string };

/**
 * Authenticates a call and checks, in this order: the token's scope, whether staff view as the caller, second factor,
 * access, feature flag, rate limit. Runs before the request is read. Out: the caller; null for a guest. Throws
 * DomainError with the code of the first check that fails.
 */
export async function authorize(deps: AuthorizeDeps, endpoint: NamedEndpoint, info: CallInfo): Promise<Actor | null> {
  const known = requireScope(endpoint, await authenticate(deps, info));
  const actor = requireSecondFactor(endpoint, requireOpenToViewing(endpoint, known));
  requireAccess(endpoint, actor);
  if (endpoint.flag && !deps.flags()[endpoint.flag]) throw new DomainError('FEATURE_DISABLED');
  await takeRateLimit(deps, endpoint, actor, info);
  return actor;
}

function authenticate(deps: AuthorizeDeps, { secret, address }: CallInfo): Promise<Actor | null> | null {
  return secret ? deps.resolve(secret, address) : null;
}

/**
 * A token may call what its scopes name and nothing else (token-endpoints.ts), least of all the security of its account
 * (behaviour 3.12; attacks T35). Endpoints that are open to anybody treat it as a guest.
 */
function requireScope(endpoint: NamedEndpoint, actor: Actor | null): Actor | null {
  if (!actor?.token) return actor;
  const scope = scopeFor(endpoint);
  if (scope && hasScope(actor.token.scopes, scope)) return actor;
  if (scope === null && endpoint.access === 'open') return null;
  throw new DomainError('TOKEN_SCOPE_MISSING');
}

/**
 * Staff who view as a user read what is opened to that, and change nothing: no command gets through but the one that
 * ends it, and logging out (behaviour 8.3; attacks T39). To what else is open to anybody they are a guest.
 */
function requireOpenToViewing(endpoint: NamedEndpoint, actor: Actor | null): Actor | null {
  if (!actor?.viewer || isOpenToViewing(endpoint.name)) return actor;
  if (endpoint.access === 'open' && endpoint.method === 'GET') return null;
  throw new DomainError('VIEWING_READ_ONLY');
}

/**
 * A session that waits for its second factor is a guest on open endpoints and refused everywhere else, except on
 * endpoints marked `waiting` (behaviour 3.5; attacks T30). One that has to set up a factor first is refused likewise,
 * except on those marked `settingUp`.
 */
function requireSecondFactor(endpoint: Endpoint, actor: Actor | null): Actor | null {
  if (actor?.waiting && !endpoint.waiting) {
    if (endpoint.access === 'open') return null;
    throw new DomainError('TW0_FA_BLOCKED');
  }
  if (actor?.mustSetUp && !endpoint.settingUp && endpoint.access !== 'open')
    throw new DomainError('TWO_FACTOR_REQUIRED');
  return actor;
}

function requireAccess(endpoint: Endpoint, actor: Actor | null): void {
  if (endpoint.access === 'open') return;
  if (!actor) throw new DomainError('UNAUTHENTICATED');
  if (endpoint.access !== 'signed-in' && !can(actor.permissions, endpoint.access)) throw new DomainError('FORBIDDEN');
  if (endpoint.verified && !actor.verified) throw new DomainError('ACCOUNT_UNVERIFIED');
}

async function takeRateLimit(
  deps: AuthorizeDeps,
  endpoint: Endpoint,
  actor: Actor | null,
  info: CallInfo,
): Promise<void> {
  const name = endpoint.limit ?? (endpoint.method === 'GET' ? (actor ? 'read' : 'guestRead') : 'write');
  const byUser = actor !== null && LIMITS[name].per === 'user';
  // Who is only viewed is not counted.
  const wait = await deps.takeLimit(name, byUser ? (actor.viewer?.userId ?? actor.userId) : addressKey(info.address));
  if (wait > 0) throw new DomainError('RATE_LIMITED', { retryAfterS: wait });
}
