import type { Ctx, SignedIn } from '#server/modules/kernel.ts';
import type { Harness } from './harness.ts';

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
  /** Set-Cookie lines. */
  readonly lines: readonly string[];
}
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, init?: RequestInit): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';

/** A browser with a cookie jar, that speaks to the whole HTTP application from an address of its own. */
export function openBrowser(harness: Harness, address = '198.51.100.9', userAgent = FIREFOX): Browser {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('x-forwarded-for', address);
    headers.set('user-agent', userAgent);
    headers.set('origin', 'http://127.0.0.1');
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await harness.http(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0(;|$)/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    get: (path, init) => request(path, init),
    async send(method, path, body) {
      const init: RequestInit = { method };
      if (body !== undefined) {
        init.body = JSON.stringify(body);
        init.headers = { 'content-type': 'application/json' };
      }
      const response = await request(path, init);
      const json = (await response.json()) as Record<string, unknown>;
      const code = typeof json.error_code === 'string' ? json.error_code : null;
      return {
        status: response.status,
        code,
        body: json,
        headers: response.headers,
        lines: response.headers.getSetCookie(),
      };
    },
  };
}

/** The context of a guest, for calling a service without the pipeline (and its rate limits). */
export function guestCtx(change: Partial<Ctx> = {}): Ctx {
  return {
    actor: null,
    requestId: 'test',
    locale: 'en',
    address: '198.51.100.9',
    userAgent: FIREFOX,
    idempotency: null,
    ...change,
  };
}

/** The context of somebody signed in by a session secret. */
export async function ctxOf(harness: Harness, secret: string): Promise<SignedIn> {
  const found = await harness.host.services.identity.resolve(secret);
  if (!found) throw new Error('the session is not good');
  return { ...guestCtx(), actor: found.actor };
}
