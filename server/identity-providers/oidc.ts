import * as oidc from 'openid-client';
import type { Outcome } from '#server/modules/identities/ports.ts';
import type { SsoApp, SsoClient, SsoPerson, SsoReturn, SsoSecrets } from '#server/modules/sso/ports.ts';
import type { SsoFault } from '#shared/sso.ts';
import { codeOf, createDiscovery, type DiscoveryDeps } from './oidc-discovery.ts';
import { toPerson } from './person.ts';

/** Longest subject (OpenID Connect Core, section 2). */
const SUBJECT_MAX = 255;

interface Deps extends DiscoveryDeps {
  readonly redirectUri: () => string;
}
/** What an ID token or the user-info endpoint says of somebody. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * OpenID Connect providers, Google among them: discovery, PKCE, state, nonce and ID tokens by `openid-client`, which
 * checks signatures too, although the token comes over TLS from the provider itself.
 */
export function createOidc(deps: Deps): SsoClient {
  const { log, redirectUri } = deps;
  const { configurationOf, discover, forget } = createDiscovery(deps);

  /** What failed, as a yes or no. A question without a clear answer says nothing about the person. */
  function toOutcome(app: SsoApp, error: unknown): Outcome<never, 'refused'> {
    const code = codeOf(error);
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant')
      return { kind: 'no', reason: 'refused' };
    if (error instanceof oidc.ResponseBodyError && CLIENT_FAULTS.has(error.error)) {
      log.error('sso.client_refused', { issuer: app.issuer, error: error.error });
      return { kind: 'unknown', retryAfterS: null };
    }
    // Anybody can send a code that a provider calls an invalid request: that is no fault of ours to be looked after.
    log.warn('sso.failed', {
      issuer: app.issuer,
      error: error instanceof oidc.ResponseBodyError ? error.error.slice(0, 60) : code,
    });
    // Its keys changed a moment ago: the next one reads them again.
    if (code === 'OAUTH_KEY_SELECTION_FAILED') forget(app);
    return REFUSALS.has(code) ? { kind: 'no', reason: 'refused' } : { kind: 'unknown', retryAfterS: null };
  }

  /** Who an ID token is about, once it was checked; what it leaves out is asked for. */
  async function claimsOf(
    configuration: oidc.Configuration,
    back: SsoReturn,
    secrets: SsoSecrets,
  ): Promise<Claims | null> {
    const url = new URL(redirectUri());
    url.searchParams.set('code', back.code);
    url.searchParams.set('state', back.state);
    if (back.iss !== undefined) url.searchParams.set('iss', back.iss);
    const tokens = await oidc.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: secrets.verifier,
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      idTokenExpected: true,
    });
    const claims: Claims | undefined = tokens.claims();
    if (!claims || typeof claims.sub !== 'string' || claims.sub === '' || claims.sub.length > SUBJECT_MAX) return null;
    if (claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint) return claims;
    // Fails where it is about somebody else.
    return { ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  }

  return {
    async consentUrl(app, { state, nonce, verifier }) {
      try {
        const url = oidc.buildAuthorizationUrl(await configurationOf(app), {
          redirect_uri: redirectUri(),
          scope: app.scopes,
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(app.kind === 'google' ? { prompt: 'select_account' } : {}),
        });
        return { kind: 'yes', value: url.href };
      } catch (error) {
        log.warn('sso.discovery_failed', { issuer: app.issuer, error: codeOf(error) });
        return { kind: 'unknown', retryAfterS: null };
      }
    },
    async test(app) {
      try {
        await discover(app);
        return null;
      } catch (error) {
        const cause = codeOf(error);
        return { fault: FAULTS[cause] ?? 'unreachable', cause: cause.slice(0, 60) };
      }
    },
    async identify(app, back, secrets): Promise<Outcome<SsoPerson, 'refused'>> {
      try {
        const claims = await claimsOf(await configurationOf(app), back, secrets);
        return claims ? { kind: 'yes', value: personOf(app, claims) } : { kind: 'no', reason: 'refused' };
      } catch (error) {
        return toOutcome(app, error);
      }
    },
  };
}

/** What a provider calls an application that is set up wrongly: nobody can sign in until the host mends it. */
const CLIENT_FAULTS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

/** Failures of a discovery; every other one is of the way there. */
const FAULTS: Readonly<Record<string, SsoFault>> = {
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'issuer',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'answer',
  OAUTH_RESPONSE_IS_NOT_JSON: 'answer',
  OAUTH_INVALID_RESPONSE: 'answer',
  OAUTH_PARSE_ERROR: 'answer',
  // It names no consent page, or one that is no page of the web.
  ERR_INVALID_URL: 'answer',
  CONSENT_PAGE_UNUSABLE: 'answer',
};

/** Failures that say no: what came back is not what was asked for, or proves nothing. */
const REFUSALS: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

function personOf({ kind }: SsoApp, claims: Claims): SsoPerson {
  const { sub, email, email_verified: verified, hd } = claims;
  const isProven = verified === true || verified === 'true';
  // Google proves addresses of its own and of its business customers; of others it only repeats what was claimed.
  const isBelieved =
    kind !== 'google' || (typeof hd === 'string' && hd !== '') || /@(?:gmail|googlemail)\.com$/i.test(String(email));
  return toPerson({
    subject: String(sub),
    name: claims.preferred_username ?? claims.name ?? email,
    username: claims.preferred_username ?? claims.nickname,
    email: isProven && isBelieved ? email : undefined,
    firstName: claims.given_name,
    lastName: claims.family_name,
    fullName: claims.name,
  });
}
