import { createHash } from 'node:crypto';
import { standIn, type Answer, type Asked } from '../standin.ts';

export interface GithubPerson {
  readonly id: number;
  login: string;
  name?: string | null;
  emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[] | null;
}
export const GITHUB_CLIENT = { id: 'Iv1.spawnpoint', secret: 'github-stand-in-secret' };

const json = (body: object, status = 200): Answer => ({ status, body: JSON.stringify(body) });

/**
 * A GitHub on this machine, as an Enterprise Server: pages and API on one host. It says no with status 200, as the real
 * one does (github.md).
 */
export async function startGithub() {
  const codes = new Map<string, { person: GithubPerson; query: URLSearchParams }>();
  const tokens = new Map<string, GithubPerson>();
  let made = 0;
  let isLimited = false;

  function token({ body, headers }: Asked): Answer {
    const form = new URLSearchParams(body);
    if (headers.accept !== 'application/json') return { type: 'application/x-www-form-urlencoded', body: 'error=x' };
    if (form.get('client_id') !== GITHUB_CLIENT.id || form.get('client_secret') !== GITHUB_CLIENT.secret)
      return json({ error: 'incorrect_client_credentials' });
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.query.get('code_challenge') !== challenge) return json({ error: 'bad_verification_code' });
    if (code.query.get('redirect_uri') !== form.get('redirect_uri')) return json({ error: 'redirect_uri_mismatch' });
    const access = `gho_${(made += 1)}`;
    tokens.set(access, code.person);
    return json({ access_token: access, token_type: 'bearer', scope: 'read:user,user:email' });
  }

  function work(asked: Asked): Answer {
    const { pathname } = asked.url;
    if (pathname === '/login/oauth/access_token') return token(asked);
    if (!asked.headers['user-agent']) return json({ message: 'no agent' }, 403);
    const person = tokens.get((asked.headers.authorization ?? '').replace('Bearer ', ''));
    if (!person) return json({ message: 'Bad credentials' }, 401);
    const { id, login, name = null, emails } = person;
    if (pathname === '/api/v3/user') return json({ id, login, name, email: 'public@elsewhere.example' });
    if (pathname === '/api/v3/user/emails' && isLimited) {
      isLimited = false;
      return { ...json({ message: 'API rate limit exceeded' }, 403), headers: { 'X-RateLimit-Remaining': '0' } };
    }
    if (pathname === '/api/v3/user/emails') return emails ? json(emails) : json({ message: 'Not Found' }, 404);
    return json({ message: 'Not Found' }, 404);
  }

  const service = await standIn(work);
  return {
    ...service,
    issuer: service.url,
    /** The next question for addresses meets the limit of the hour. */
    limitEmails: () => void (isLimited = true),
    /** What somebody does at the consent page. Out: the address the browser is sent back to. */
    consent(page: string, person: GithubPerson): URL {
      const query = new URL(page).searchParams;
      const code = `github-code-${(made += 1)}`;
      codes.set(code, { person, query });
      const back = new URL(query.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', query.get('state') ?? '');
      return back;
    },
  };
}
export type GithubStandIn = Awaited<ReturnType<typeof startGithub>>;
