import * as z from 'zod/mini';
import type { Outcome } from '#server/modules/identities/ports.ts';
import type { Log } from '#server/modules/kernel.ts';
import type { SsoApp, SsoClient, SsoPerson, SsoReturn, SsoSecrets } from '#server/modules/sso/ports.ts';
import { boundedFetch, type Fetch } from './bounded.ts';
import { toPerson } from './person.ts';

const tokenAnswer = z.object({ access_token: z.string().check(z.minLength(1), z.maxLength(2000)) });
const refusal = z.object({ error: z.string() });
const userAnswer = z.object({
  id: z.int().check(z.positive()),
  login: z.string(),
  name: z.optional(z.nullable(z.string())),
});
const emailsAnswer = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

interface Deps {
  readonly fetch: Fetch;
  readonly timeoutMs: () => number;
  readonly log: Log;
  readonly redirectUri: () => string;
  readonly userAgent: () => string;
  /** S256 of a PKCE verifier, base64url. */
  readonly challengeOf: (verifier: string) => string;
}
const unknown = { kind: 'unknown', retryAfterS: null } as const;

/** Where the API of a GitHub is: of its own host, or below an Enterprise Server's. */
const apiOf = (issuer: string): string =>
  issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer.replace(/\/+$/, '')}/api/v3`;

/** Whether a call was one too many: a 429, or a 403 that says when to come back (services, github). */
const isLimited = (status: number, headers: Headers): boolean =>
  status === 429 || (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'));

/** What the person cannot sign in with: a code that is spent or foreign, or an account that GitHub itself holds back. */
const REFUSED: ReadonlySet<string> = new Set(['bad_verification_code', 'unverified_user_email']);

/** GitHub over its documented API. Its tokens are thrown away: nothing is asked later. */
export function createGithub({ fetch, timeoutMs, log, redirectUri, userAgent, challengeOf }: Deps): SsoClient {
  const ask = boundedFetch(fetch, timeoutMs);

  /** One call; null where there is no clear answer. */
  async function call(url: string, init: RequestInit): Promise<{ status: number; json: unknown } | null> {
    try {
      const response = await ask(url, init);
      const { status, headers } = response;
      if (status >= 500 || (status >= 300 && status < 400) || isLimited(status, headers)) return failed({ status });
      return { status, json: await response.json() };
    } catch (error) {
      return failed({ error: error instanceof Error ? error.name : 'unknown' });
    }
  }
  function failed(facts: Record<string, unknown>): null {
    log.warn('sso.github_unknown', facts);
    return null;
  }

  /** Trades a code for a token. GitHub says no with status 200 too: it is a yes where there is a token. */
  async function exchange(app: SsoApp, code: string, verifier: string): Promise<Outcome<string, 'refused'>> {
    const form = {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      code,
      redirect_uri: redirectUri(),
      code_verifier: verifier,
    };
    const answer = await call(`${app.issuer.replace(/\/+$/, '')}/login/oauth/access_token`, {
      method: 'POST',
      headers: { Accept: 'application/json', 'User-Agent': userAgent() },
      body: new URLSearchParams(form),
    });
    const token = tokenAnswer.safeParse(answer?.json);
    if (token.success) return { kind: 'yes', value: token.data.access_token };
    const no = refusal.safeParse(answer?.json);
    if (!no.success) return unknown;
    if (REFUSED.has(no.data.error)) return { kind: 'no', reason: 'refused' };
    // Our own application is set up wrongly: nobody can sign in until the host mends it.
    log.error('sso.client_refused', { issuer: app.issuer, error: no.data.error.slice(0, 60) });
    return unknown;
  }

  async function identify(app: SsoApp, back: SsoReturn, secrets: SsoSecrets): Promise<Outcome<SsoPerson, 'refused'>> {
    const token = await exchange(app, back.code, secrets.verifier);
    if (token.kind !== 'yes') return token;
    const get = (path: string) =>
      call(apiOf(app.issuer) + path, {
        headers: {
          Authorization: `Bearer ${token.value}`,
          Accept: 'application/vnd.github+json',
          'X-GitHub-Api-Version': '2022-11-28',
          'User-Agent': userAgent(),
        },
      });
    const answer = await get('/user');
    if (answer?.status === 401) return { kind: 'no', reason: 'refused' };
    const user = userAnswer.safeParse(answer?.json);
    if (answer?.status !== 200 || !user.success) return unknown;
    const { id, login, name } = user.data;
    const emails = await get('/user/emails?per_page=100');
    // Without the scope there is a 403 or 404: then no address is known.
    if (emails === null) return unknown;
    const list = emailsAnswer.safeParse(emails.json);
    const email = list.success ? list.data.find(({ primary, verified }) => primary && verified)?.email : undefined;
    return {
      kind: 'yes',
      value: toPerson({ subject: String(id), name: login, username: login, email, fullName: name }),
    };
  }

  return {
    consentUrl(app, { state, verifier }) {
      const query = new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: redirectUri(),
        scope: app.scopes,
        state,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
        prompt: 'select_account',
      });
      const url = `${app.issuer.replace(/\/+$/, '')}/login/oauth/authorize?${query.toString()}`;
      return Promise.resolve({ kind: 'yes', value: url });
    },
    identify,
  };
}
