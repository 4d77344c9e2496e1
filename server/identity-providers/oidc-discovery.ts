import * as oidc from 'openid-client';
import type { Clock, Log } from '#server/modules/kernel.ts';
import type { SsoApp } from '#server/modules/sso/ports.ts';
import { HOUR } from '#shared/time.ts';
import { boundedFetch, type Fetch } from './bounded.ts';

/** How much the clocks of a provider and ours may differ, in seconds. */
const TOLERANCE_S = 60;
/** A discovery is used so long before it is asked for again; an older one still serves while that fails. */
const FRESH = HOUR;
/** Most providers that are remembered. */
const CACHE_MAX = 100;
export interface DiscoveryDeps {
  readonly fetch: Fetch;
  readonly timeoutMs: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly hash: (text: string) => string;
}
interface Cached {
  readonly configuration: oidc.Configuration;
  readonly atMs: number;
}

/** What providers say of themselves: where their pages are, and which keys they sign with. It is remembered. */
export function createDiscovery({ clock, log, hash, fetch, timeoutMs }: DiscoveryDeps) {
  const ask = boundedFetch(fetch, timeoutMs);
  const cache = new Map<string, Cached>();

  async function discover(app: SsoApp): Promise<oidc.Configuration> {
    const configuration = await oidc.discovery(
      new URL(app.issuer),
      app.clientId,
      { [oidc.clockTolerance]: TOLERANCE_S, ...(app.clientSecret ? { client_secret: app.clientSecret } : {}) },
      app.clientSecret ? undefined : oidc.None(),
      {
        [oidc.customFetch]: (url, init) => ask(url, init as RequestInit),
        // Only an address of this machine can be one without encryption (shared/schemas/sso.ts).
        execute: app.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
      },
    );
    // The browser is sent there: nothing but a page of the web.
    const { protocol } = new URL(configuration.serverMetadata().authorization_endpoint ?? '');
    if (protocol !== 'https:' && (protocol !== 'http:' || !app.issuer.startsWith('http:')))
      throw Object.assign(new TypeError('the consent page is no page of the web'), { code: 'CONSENT_PAGE_UNUSABLE' });
    // By default the signature is not looked at where the token came from the token endpoint.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** The provider's configuration, with its keys. Throws where it never answered. */
  async function configurationOf(app: SsoApp): Promise<oidc.Configuration> {
    const key = keyOf(app);
    const known = cache.get(key);
    if (known && clock.now() - known.atMs < FRESH) return known.configuration;
    try {
      const configuration = await discover(app);
      if (cache.size >= CACHE_MAX) cache.clear();
      cache.set(key, { configuration, atMs: clock.now() });
      return configuration;
    } catch (error) {
      if (!known) throw error;
      log.warn('sso.discovery_failed', { issuer: app.issuer, error: codeOf(error) });
      return known.configuration;
    }
  }

  const keyOf = (app: SsoApp): string => hash(JSON.stringify([app.issuer, app.clientId, app.clientSecret]));

  return {
    configurationOf,
    /** The same, asked for now. Throws where it does not answer as it should. */
    discover,
    /** Its keys are others than those that are remembered: the next one asks again. */
    forget: (app: SsoApp): void => void cache.delete(keyOf(app)),
  };
}

/** What an error is called: by its code where it has one, or the one behind it has. */
export function codeOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string') return each.code;
  return error instanceof Error ? error.name : 'unknown';
}
