import { ApiError, type Fetcher } from '#shared/contract/client.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { ApiApp, CallInfo } from './implement.ts';

/** What a caller on the server hands over: the visitor it acts for. */
export interface Visit {
  readonly requestId: string;
  readonly address: string;
  readonly locale: CallInfo['locale'];
  readonly secret: string | null;
  readonly cookie: string | null;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/**
 * The way from the backend-for-frontend to the hosting API (architecture, section 9). In memory or over HTTP: nothing else differs.
 */
export interface ApiTransport {
  /** A fetcher that acts for one visitor; Set-Cookie lines of the answers are given to `collect`. */
  fetcher(visit: Visit, collect: (setCookie: string) => void): Fetcher;
  /** Passes a browser's API request on and gives back the answer. */
  forward(request: Request, info: CallInfo): Response | Promise<Response>;
  /** Whether the hosting API can serve now. */
  ready(): Promise<boolean>;
}

/** The hosting API in this process: a function call, with the full meaning of HTTP. */
export function memoryTransport(api: ApiApp, ready: () => Promise<boolean>): ApiTransport {
  return {
    ready,
    forward: (request, info) => api.fetch(request, info),
    fetcher: (visit, collect) => async (path, init) => {
      const headers = new Headers(init.headers);
      if (visit.cookie) headers.set('cookie', visit.cookie);
      headers.set('user-agent', visit.userAgent);
      const request = new Request(`http://api.internal${path}`, { ...init, headers, signal: init.signal ?? visit.signal });
      const response = await api.fetch(request, {
        requestId: visit.requestId,
        address: visit.address,
        locale: visit.locale,
        secret: visit.secret,
        keepOpen: () => undefined,
      });
      for (const line of response.headers.getSetCookie()) collect(line);
      return response;
    },
  };
}

/** Headers by which other services prove their notices. */
const SIGNATURES = ['stripe-signature', ...['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time'].map((name) => `paypal-${name}`)];
/** Headers of a browser's request that reach the hosting API. Everything else stays here. */
const PASSED = ['accept', 'content-type', 'content-length', 'idempotency-key', 'user-agent', 'cookie', 'if-none-match', ...SIGNATURES];
/** Headers of an answer that reach the browser. */
const RETURNED = ['content-type', 'cache-control', 'content-disposition', 'retry-after', 'x-accel-buffering', 'etag', 'content-security-policy'];
/** How long an answer of the hosting API may take to begin. */
const TIMEOUT_MS = 15_000;

/** The hosting API elsewhere. In: its base address. A line that cannot be reached answers SERVER_UNAVAILABLE. */
export function remoteTransport(base: string): ApiTransport {
  const send = async (path: string, init: RequestInit, who: Pick<Visit, 'requestId' | 'address' | 'locale' | 'secret'>): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('x-request-id', who.requestId);
    headers.set('x-forwarded-for', who.address);
    headers.set('accept-language', LOCALE_INFO[who.locale].lang);
    if (who.secret) headers.set('authorization', `Bearer ${who.secret}`);
    // Bounds the start of the answer only: event streams live longer.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), TIMEOUT_MS);
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
      return await fetch(base + path, { ...init, headers, signal, redirect: 'manual' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ApiError('SERVER_UNAVAILABLE', 503, { requestId: who.requestId });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ready: async () => {
      try {
        return (await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
      } catch {
        return false;
      }
    },
    fetcher: (visit, collect) => async (path, init) => {
      const headers = new Headers(init.headers);
      if (visit.cookie) headers.set('cookie', visit.cookie);
      headers.set('user-agent', visit.userAgent);
      const response = await send(path, { ...init, headers, signal: init.signal ?? visit.signal }, visit);
      for (const line of response.headers.getSetCookie()) collect(line);
      return response;
    },
    forward: async (request, info) => {
      const url = new URL(request.url);
      const headers = new Headers();
      for (const name of PASSED) {
        const value = request.headers.get(name);
        if (value !== null) headers.set(name, value);
      }
      const init: RequestInit = { method: request.method, headers, signal: request.signal };
      if (request.body && request.method !== 'GET' && request.method !== 'HEAD') init.body = await request.arrayBuffer();
      const answer = await send(url.pathname + url.search, init, info);
      if ((answer.headers.get('content-type') ?? '').startsWith('text/event-stream')) info.keepOpen();
      const out = new Headers();
      for (const name of RETURNED) {
        const value = answer.headers.get(name);
        if (value !== null) out.set(name, value);
      }
      for (const line of answer.headers.getSetCookie()) out.append('set-cookie', line);
      return new Response(answer.body, { status: answer.status, headers: out });
    },
  };
}
