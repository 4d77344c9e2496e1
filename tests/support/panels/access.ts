import { denied, PanelError } from './errors.ts';
import type { Dialect, KeyRow } from './rows.ts';
import type { PanelState } from './state.ts';

export interface RateLimits {
  /** Requests a minute for each user; 240 and 720 (1), 256 for both with Pelican (8). The host may set others. */
  readonly application: number;
  readonly client: number;
}
export const USUAL_LIMITS: Record<Dialect, RateLimits> = {
  pterodactyl: { application: 240, client: 720 },
  pelican: { application: 256, client: 256 },
};
/** Pelican's names of resources (8). */
const PELICAN_NAMES: Readonly<Record<string, string>> = {
  servers: 'server',
  nodes: 'node',
  allocations: 'allocation',
  users: 'user',
  eggs: 'egg',
  database_hosts: 'database_host',
  server_databases: 'database',
  roles: 'role',
};
const unauthenticated = () => new PanelError(401, 'AuthenticationException', 'Unauthenticated.');

/** Whether a key may read (1) or write (2) a resource. A client key of a root admin may do everything (1). */
export function allows(key: KeyRow, resource: string, level: 1 | 2): boolean {
  if (key.kind === 'client' || key.rights === 'all') return true;
  return ((key.rights[resource] ?? key.rights[PELICAN_NAMES[resource] ?? ''] ?? 0) & level) !== 0;
}

/**
 * Who asks: 401 without a good key; then the three kinds of 403 of the key itself (1). None of them counts for the rate
 * limit but the owner's.
 */
export function keyOf(state: PanelState, authorization: string | null, address: string): KeyRow {
  const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  const key = token === undefined ? undefined : state.keys.get(token);
  if (!key || !state.users.has(key.userId)) throw unauthenticated();
  if (key.allowedIps.length > 0 && !key.allowedIps.includes(address)) {
    throw denied(`This IP address (${address}) does not have permission to access the API using these credentials.`);
  }
  return key;
}
/** The kind of key against the API that is asked (1). */
export function demandKind(state: PanelState, key: KeyRow, api: keyof RateLimits): void {
  if (api === 'client' && key.kind === 'application') {
    throw denied('You are attempting to use an application API key on an endpoint that requires a client API key.');
  }
  if (api === 'application' && state.users.get(key.userId)?.rootAdmin !== true)
    throw denied('This account does not have permission to access the API.');
}

/** The rate limit: a fixed window of a minute for each user and API, whatever the key (1). */
export function createThrottle(state: PanelState, limits: RateLimits) {
  const buckets = new Map<string, { sinceMs: number; count: number }>();
  return {
    /** Counts a request. Out: the headers of its answer. Throws 429 with `Retry-After`. */
    hit(api: keyof RateLimits, userId: number): Record<string, string> {
      const name = `${api}:${userId}`;
      const known = buckets.get(name);
      const bucket = known && state.now() < known.sinceMs + 60_000 ? known : { sinceMs: state.now(), count: 0 };
      buckets.set(name, bucket);
      bucket.count += 1;
      const left = Math.max(0, limits[api] - bucket.count);
      const headers = { 'X-RateLimit-Limit': String(limits[api]), 'X-RateLimit-Remaining': String(left) };
      if (bucket.count <= limits[api]) return headers;
      const endMs = bucket.sinceMs + 60_000;
      const after = {
        'Retry-After': String(Math.max(1, Math.ceil((endMs - state.now()) / 1000))),
        'X-RateLimit-Reset': String(Math.ceil(endMs / 1000)),
      };
      throw new PanelError(429, 'ThrottleRequestsException', 'Too Many Attempts.', {
        headers: { ...headers, ...after },
      });
    },
    /** All windows begin anew. */
    forget: () => buckets.clear(),
  };
}
export type Throttle = ReturnType<typeof createThrottle>;
