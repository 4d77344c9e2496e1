import { ceilings } from '#shared/ceilings.ts';
import { ApiError, type Fetcher } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { ApiApp, CallInfo } from './implement.ts';

/** What a caller on the server hands over: the visitor it acts for. */
interface Visit {
  readonly requestId: string;
  readonly address: string;
  readonly locale: CallInfo['locale'];
  readonly secret: string | null;
  readonly cookie: string | null;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Acts for one page, whose reads together have to begin soon. Absent: each has as long for itself. */
  readonly page?: boolean;
}

/**
 * The way from the backend-for-frontend to the hosting API (architecture, section 9). In memory or over HTTP: nothing
 * else differs.
 */
export interface ApiTransport {
  /** A fetcher that acts for one visitor; Set-Cookie lines of the answers are given to `collect`. */
  fetcher(visit: Visit, collect: (setCookie: string) => void): Fetcher;
  /** Passes a browser's API request on and gives back the answer. */
  forward(request: Request, info: CallInfo): Promise<Response>;
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
      const request = new Request(`http://api.internal${path}`, {
        ...init,
        headers,
        signal: init.signal ?? visit.signal,
      });
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
const SIGNATURES = [
  'stripe-signature',
  ...['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time'].map(
    (name) => `paypal-${name}`,
  ),
];
/** Headers of a browser's request that reach the hosting API. Everything else stays here. */
const PASSED = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'idempotency-key',
  'user-agent',
  'cookie',
  'if-none-match',
  ...SIGNATURES,
];
/** Headers of an answer that reach the browser. */
const RETURNED = [
  'content-type',
  'cache-control',
  'content-disposition',
  'retry-after',
  'x-accel-buffering',
  'etag',
  'content-security-policy',
  'content-encoding',
  'vary',
];
/** How long an answer of the hosting API may take to begin: a command, or a call of the browser's own. */
const TIMEOUT_MS = 15_000;
/** How long what a page reads may take, whole: somebody looks at an empty window meanwhile. */
export const READ_MS = 2_500;

/** What a call is sent with, and how long it may take. */
interface Sent extends RequestInit {
  readonly headers: Headers;
  readonly ms: number;
}

/**
 * The hosting API elsewhere. In: its base address, and how long what a page reads may take. A line that cannot be
 * reached, hangs or breaks answers SERVER_UNAVAILABLE. Bodies of browsers and their answers run through as fast as the
 * other side takes them; of a body without announced length no more than its endpoint's ceiling is read.
 */
export function remoteTransport(base: string, readMs = READ_MS): ApiTransport {
  /** Out: what `read` made of the answer. The time counts until then. */
  const send = async <T>(
    path: string,
    { ms, ...init }: Sent,
    who: Pick<Visit, 'requestId' | 'address' | 'locale' | 'secret'>,
    read: (answer: Response) => T | Promise<T>,
  ): Promise<T> => {
    const { headers } = init;
    headers.set('x-request-id', who.requestId);
    headers.set('x-forwarded-for', who.address);
    headers.set('accept-language', LOCALE_INFO[who.locale].lang);
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    if (who.secret) headers.set('authorization', `Bearer ${who.secret}`);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ms);
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
      // What comes compressed goes on as it is.
      return await read(await fetch(base + path, { ...init, headers, signal, redirect: 'manual', decompress: false }));
    } catch (error) {
      if (init.signal?.aborted || error instanceof DomainError) throw error;
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
    fetcher: (visit, collect) => {
      let until = performance.now() + readMs;
      return async (path, init) => {
        const headers = new Headers(init.headers);
        if (visit.cookie) headers.set('cookie', visit.cookie);
        headers.set('user-agent', visit.userAgent);
        const reads = (init.method ?? 'GET') === 'GET';
        const ms = !reads ? TIMEOUT_MS : visit.page ? Math.max(0, until - performance.now()) : readMs;
        const whole = async (answer: Response) =>
          new Response(await answer.bytes(), { status: answer.status, headers: answer.headers });
        const response = await send(path, { ...init, headers, signal: init.signal ?? visit.signal, ms }, visit, whole);
        // A command takes the time it takes; what the page reads afterwards has its own.
        if (!reads) until = performance.now() + readMs;
        for (const line of response.headers.getSetCookie()) collect(line);
        return response;
      };
    },
    forward: (request, info) => {
      const url = new URL(request.url);
      const headers = new Headers();
      for (const name of PASSED) {
        const value = request.headers.get(name);
        if (value !== null) headers.set(name, value);
      }
      const init: Sent & { duplex?: 'half' } = {
        method: request.method,
        headers,
        signal: request.signal,
        ms: TIMEOUT_MS,
      };
      const sends = request.body && request.method !== 'GET' && request.method !== 'HEAD';
      if (sends)
        Object.assign(init, { body: bounded(request.body, ceiling(request.method, url.pathname)), duplex: 'half' });
      return send(url.pathname + url.search, init, info, (answer) => {
        if ((answer.headers.get('content-type') ?? '').startsWith('text/event-stream')) info.keepOpen();
        const out = new Headers();
        for (const name of RETURNED) {
          const value = answer.headers.get(name);
          if (value !== null) out.set(name, value);
        }
        for (const line of answer.headers.getSetCookie()) out.append('set-cookie', line);
        return new Response(answer.body, { status: answer.status, headers: out });
      });
    },
  };
}

const ceiling = ceilings(ENDPOINTS);

/** A body as it comes, read no faster than it is taken. Breaks with PAYLOAD_TOO_LARGE beyond `most` bytes. */
function bounded(body: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.length;
      if (size <= most) return controller.enqueue(value);
      controller.error(new DomainError('PAYLOAD_TOO_LARGE'));
      await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
