import { ACTING_AS_HEADER } from '#shared/constants.ts';
import { ceilings } from '#shared/ceilings.ts';
import { ApiError, type Fetcher } from '#shared/contract/client.ts';
import { MAIL_SIGNATURE_HEADER } from '#shared/contract/ticket-mail.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { ApiApp, CallInfo } from './implement.ts';

/** The visitor whom a caller on the server acts for. */
interface Visitor {
  readonly requestId: string;
  readonly address: string;
  readonly locale: CallInfo['locale'];
  readonly secret: string | null;
  readonly cookie: string | null;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly readAs?: CallInfo['readAs'];
  /** The calls are those of one page, whose reads share one deadline. Absent: each read has its own. */
  readonly page?: boolean;
}

/** How the backend-for-frontend calls the hosting API (architecture, section 9): in memory or over HTTP. */
export interface ApiTransport {
  /** A fetcher that acts for one visitor; `collect` is called with each Set-Cookie line of the responses. */
  fetcher(visitor: Visitor, collect: (setCookie: string) => void): Fetcher;
  /** Forwards a browser's API request. Out: its response. */
  forward(request: Request, info: CallInfo): Promise<Response>;
  /** Whether the hosting API can serve now. */
  ready(): Promise<boolean>;
}

/** The hosting API in this process: requests and responses are those of HTTP, passed to a function. */
export function memoryTransport(api: ApiApp, ready: () => Promise<boolean>): ApiTransport {
  return {
    ready,
    forward: (request, info) => api.fetch(request, info),
    fetcher: (visitor, collect) => async (path, init) => {
      const headers = new Headers(init.headers);
      if (visitor.cookie) headers.set('cookie', visitor.cookie);
      headers.set('user-agent', visitor.userAgent);
      const request = new Request(`http://api.internal${path}`, {
        ...init,
        headers,
        signal: init.signal ?? visitor.signal,
      });
      const response = await api.fetch(request, {
        requestId: visitor.requestId,
        address: visitor.address,
        locale: visitor.locale,
        secret: visitor.secret,
        readAs: visitor.readAs,
        keepOpen: () => undefined,
      });
      for (const line of response.headers.getSetCookie()) collect(line);
      return response;
    },
  };
}

/** Headers with which other services sign their webhooks. */
const SIGNATURE_HEADERS = [
  'stripe-signature',
  ...['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time'].map(
    (name) => `paypal-${name}`,
  ),
  MAIL_SIGNATURE_HEADER,
];
/** The headers of a browser's request that are forwarded to the hosting API; all others are not. */
const FORWARDED_HEADERS = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'idempotency-key',
  ACTING_AS_HEADER,
  'user-agent',
  'cookie',
  'if-none-match',
  'range',
  'if-range',
  ...SIGNATURE_HEADERS,
];
/** The headers of a response that are returned to the browser. */
const RETURNED_HEADERS = [
  'content-type',
  'cache-control',
  'content-disposition',
  'retry-after',
  'x-accel-buffering',
  'etag',
  'content-security-policy',
  'content-encoding',
  'vary',
  'accept-ranges',
  'content-range',
  'cross-origin-resource-policy',
];
/** Most ms until the response to a command, or to a forwarded call of a browser, begins. */
const CALL_TIMEOUT_MS = 15_000;
/** Most ms for what a page reads, bodies included: somebody looks at an empty window meanwhile. */
export const READ_TIMEOUT_MS = 2_500;

/** Options of a request, and the most ms that it may take. */
interface RequestOptions extends RequestInit {
  readonly headers: Headers;
  readonly timeoutMs: number;
}

/**
 * The hosting API in another process. In: its base address, the most ms for what a page reads, and the most ms until
 * every other response begins. Calls throw SERVER_UNAVAILABLE where it cannot be reached, takes too long or breaks the
 * connection. Bodies of forwarded requests and responses are streamed; of a body without declared length no more than
 * its endpoint's ceiling is read.
 */
export function remoteTransport(base: string, readMs = READ_TIMEOUT_MS, callMs = CALL_TIMEOUT_MS): ApiTransport {
  /** Out: the result of `read` with the response. The timeout covers it. */
  const send = async <T>(
    path: string,
    { timeoutMs, ...init }: RequestOptions,
    caller: Pick<Visitor, 'requestId' | 'address' | 'locale' | 'secret'>,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> => {
    const { headers } = init;
    headers.set('x-request-id', caller.requestId);
    headers.set('x-forwarded-for', caller.address);
    headers.set('accept-language', LOCALE_INFO[caller.locale].lang);
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    if (caller.secret) headers.set('authorization', `Bearer ${caller.secret}`);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, timeout.signal]) : timeout.signal;
      // A compressed body is passed on as it is.
      return await read(await fetch(base + path, { ...init, headers, signal, redirect: 'manual', decompress: false }));
    } catch (error) {
      if (init.signal?.aborted || error instanceof DomainError) throw error;
      throw new ApiError('SERVER_UNAVAILABLE', 503, { requestId: caller.requestId });
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
    fetcher: (visitor, collect) => {
      let deadline = performance.now() + readMs;
      return async (path, init) => {
        const headers = new Headers(init.headers);
        if (visitor.cookie) headers.set('cookie', visitor.cookie);
        headers.set('user-agent', visitor.userAgent);
        const isRead = (init.method ?? 'GET') === 'GET';
        const timeoutMs = !isRead ? callMs : visitor.page ? Math.max(0, deadline - performance.now()) : readMs;
        const buffer = async (response: Response) =>
          new Response(await response.bytes(), { status: response.status, headers: response.headers });
        const response = await send(
          path,
          { ...init, headers, signal: init.signal ?? visitor.signal, timeoutMs },
          visitor,
          buffer,
        );
        // The time that a command takes does not count: what the page reads afterwards has a deadline of its own.
        if (!isRead) deadline = performance.now() + readMs;
        for (const line of response.headers.getSetCookie()) collect(line);
        return response;
      };
    },
    forward: (request, info) => {
      const url = new URL(request.url);
      const headers = new Headers();
      for (const name of FORWARDED_HEADERS) {
        const value = request.headers.get(name);
        if (value !== null) headers.set(name, value);
      }
      const init: RequestOptions & { duplex?: 'half' } = {
        method: request.method,
        headers,
        signal: request.signal,
        timeoutMs: callMs,
      };
      const hasBody = request.body && request.method !== 'GET' && request.method !== 'HEAD';
      if (hasBody)
        Object.assign(init, { body: limitBody(request.body, ceiling(request.method, url.pathname)), duplex: 'half' });
      return send(url.pathname + url.search, init, info, (response) => {
        if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) info.keepOpen();
        const returned = new Headers();
        for (const name of RETURNED_HEADERS) {
          const value = response.headers.get(name);
          if (value !== null) returned.set(name, value);
        }
        for (const line of response.headers.getSetCookie()) returned.append('set-cookie', line);
        return new Response(response.body, { status: response.status, headers: returned });
      });
    },
  };
}

const ceiling = ceilings(ENDPOINTS);

/** Streams a body, read no faster than the stream is. Errors with PAYLOAD_TOO_LARGE beyond `max` bytes. */
function limitBody(body: ReadableStream<Uint8Array>, max: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.length;
      if (size <= max) return controller.enqueue(value);
      controller.error(new DomainError('PAYLOAD_TOO_LARGE'));
      await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
