import { ACTING_AS_HEADER } from '#shared/constants.ts';
import { ceilings } from '#shared/ceilings.ts';
import { ApiError, type Fetcher } from '#shared/contract/client.ts';
import { MAIL_SIGNATURE_HEADER } from '#shared/contract/ticket-mail.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { ARRIVAL_HEADER } from './arrival.ts';
import { writeBearer } from './bearer.ts';
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
  readonly arrival?: CallInfo['arrival'];
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
  'location',
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

/**
 * Most ms for what a page reads, and until another response begins, from a process of this machine: no network loses
 * it.
 */
const OWN_READ_MS = 20_000;
const OWN_CALL_MS = 120_000;
/**
 * How long the hosting API of this machine may be away (it is replaced, or comes again after a kill), and how often it
 * is looked for.
 */
const AWAY_MS = 15_000;
const LOOK_MS = 25;
/** No connection came about: nothing was sent. */
const NOT_CONNECTED: readonly unknown[] = ['ENOENT', 'ECONNREFUSED', 'EAGAIN'];
/** A body of at most so many bytes, whose length is declared, is passed on whole: a stream would cost more. */
const WHOLE_BYTES = 64 * 1024;

/** Options of a request, and the most ms that it may take. */
interface RequestOptions extends RequestInit {
  readonly headers: Headers;
  readonly timeoutMs: number;
  readonly upload?: Upload;
}
/** The socket that the hosting API of this machine listens on for our own processes, and what ends open event streams. */
interface OwnSocket {
  readonly path: string;
  readonly streams: AbortSignal;
}

/**
 * The hosting API in another process. In: its base address, the most ms for what a page reads, and the most ms until
 * every other response begins. Calls throw SERVER_UNAVAILABLE where it cannot be reached, takes too long or breaks the
 * connection. Bodies of forwarded requests and responses are streamed; of a body without declared length no more than
 * its endpoint's ceiling is read.
 */
export function remoteTransport(base: string, readMs = READ_TIMEOUT_MS, callMs = CALL_TIMEOUT_MS): ApiTransport {
  return transportTo({ base, readMs, callMs, socket: null });
}

/**
 * The hosting API in another process of this machine (decision 120). Whoever may open its socket is one of our own
 * processes, so it hears from where and at which address a visitor came. While nobody listens, calls wait. In: the
 * socket's path, and what ends open event streams.
 */
export function socketTransport(path: string, streams: AbortSignal): ApiTransport {
  return transportTo({ base: OWN_BASE, readMs: OWN_READ_MS, callMs: OWN_CALL_MS, socket: { path, streams } });
}
/** The host of calls through a socket, which nobody looks up. */
export const OWN_BASE = 'http://localhost';

interface Remote {
  readonly base: string;
  readonly readMs: number;
  readonly callMs: number;
  readonly socket: OwnSocket | null;
}

function transportTo({ base, readMs, callMs, socket }: Remote): ApiTransport {
  const send = sender(base, socket);
  return {
    ready: async () => {
      try {
        const signal = AbortSignal.timeout(2_000);
        return (await fetch(`${base}/readyz`, { signal, ...(socket ? { unix: socket.path } : {}) })).ok;
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
      const hasBody = request.body && request.method !== 'GET' && request.method !== 'HEAD';
      const init: RequestOptions = {
        method: request.method,
        headers,
        signal: request.signal,
        timeoutMs: callMs,
        ...(hasBody ? { upload: uploadOf(request.body, ceiling(request.method, url.pathname)) } : {}),
      };
      return send(url.pathname + url.search, init, info, (response) => returned(response, info, socket));
    },
  };
}

type Send = <T>(
  path: string,
  options: RequestOptions,
  caller: Pick<Visitor, 'requestId' | 'address' | 'locale' | 'secret' | 'arrival'>,
  read: (response: Response) => T | Promise<T>,
) => Promise<T>;

/** Sends requests. Out: the result of `read` with the response. The time limit covers it. */
function sender(base: string, socket: OwnSocket | null): Send {
  return async (path, { timeoutMs, upload, ...init }, caller, read) => {
    const { headers } = init;
    headers.set('x-request-id', caller.requestId);
    headers.set('x-forwarded-for', caller.address);
    headers.set('accept-language', LOCALE_INFO[caller.locale].lang);
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    const bearer = writeBearer(caller.secret);
    if (bearer !== null) headers.set('authorization', bearer);
    if (socket && caller.arrival) headers.set(ARRIVAL_HEADER, caller.arrival());
    const timeout = new AbortController();
    const limit = () => setTimeout(() => timeout.abort(), timeoutMs);
    let timer = limit();
    if (upload)
      // It counts how long nothing moves, however long a file takes.
      upload.onPart = () => {
        clearTimeout(timer);
        timer = limit();
      };
    const signal = init.signal ? AbortSignal.any([init.signal, timeout.signal]) : timeout.signal;
    const isRead = (init.method ?? 'GET') === 'GET' || init.method === 'HEAD';
    const awayAt = performance.now() + (socket ? AWAY_MS : 0);
    try {
      for (;;) {
        try {
          // A compressed body is passed on as it is.
          const options = { ...init, headers, signal, redirect: 'manual', decompress: false } as const;
          // A command has a connection of its own: one that was open before might be found closed, and the client of
          // Bun would send it a second time by itself.
          const where = socket ? { unix: socket.path, keepalive: isRead } : {};
          const body = upload ? { body: upload.stream(), duplex: 'half' as const } : {};
          return await read(await fetch(base + path, { ...options, ...where, ...body }));
        } catch (error) {
          if (init.signal?.aborted || error instanceof DomainError) throw error;
          const isUnsent = NOT_CONNECTED.includes(Reflect.get(Object(error), 'code')) && upload?.begun !== true;
          if (timeout.signal.aborted || performance.now() >= awayAt || !(isRead || isUnsent)) throw error;
        }
        await Bun.sleep(LOOK_MS);
      }
    } catch (error) {
      upload?.end();
      if (init.signal?.aborted || error instanceof DomainError) throw error;
      throw new ApiError('SERVER_UNAVAILABLE', 503, { requestId: caller.requestId });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A response as it is returned to the browser. */
async function returned(response: Response, info: CallInfo, socket: OwnSocket | null): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.startsWith('text/event-stream');
  if (isStream || type.startsWith('application/octet-stream')) info.keepOpen();
  const headers = new Headers();
  for (const name of RETURNED_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const line of response.headers.getSetCookie()) headers.append('set-cookie', line);
  const length = response.headers.get('content-length');
  const body =
    length !== null && Number(length) > 0 && Number(length) <= WHOLE_BYTES
      ? await response.bytes()
      : isStream && socket && response.body
        ? untilAborted(response.body, socket.streams)
        : response.body;
  return new Response(body, { status: response.status, headers });
}

const ceiling = ceilings(ENDPOINTS);

/** A body that is passed on. */
interface Upload {
  /** Part of it was read: it cannot be sent again. */
  readonly begun: boolean;
  /** The body for one attempt to send it, read no faster than that is. Errors with PAYLOAD_TOO_LARGE beyond its bound. */
  stream(): ReadableStream<Uint8Array>;
  /** What is left of it is not wanted. */
  end(): void;
  /** Called for each part. */
  onPart: () => void;
}

/** In: a body, and the most bytes that it may have. */
function uploadOf(body: ReadableStream<Uint8Array>, max: number): Upload {
  const reader = body.getReader();
  let size = 0;
  let begun = false;
  const upload: Upload = {
    get begun() {
      return begun;
    },
    onPart: () => undefined,
    end: () => void reader.cancel().catch(() => undefined),
    stream: () =>
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            begun = true;
            const { done, value } = await reader.read();
            upload.onPart();
            if (done) return controller.close();
            size += value.length;
            if (size <= max) return controller.enqueue(value);
            controller.error(new DomainError('PAYLOAD_TOO_LARGE'));
            await reader.cancel();
          },
          cancel: (reason) => (begun ? reader.cancel(reason) : undefined),
        },
        // Nothing is taken before it is asked for: where no connection comes about the body is still whole.
        { highWaterMark: 0 },
      ),
  };
  return upload;
}

/** A body that ends, as if it were complete, when a signal says so. */
function untilAborted(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let stop: () => void = () => undefined;
  const release = () => signal.removeEventListener('abort', stop);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stop = () => {
        controller.close();
        void reader.cancel().catch(() => undefined);
      };
      signal.addEventListener('abort', stop, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (!done) return controller.enqueue(value);
      release();
      controller.close();
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
}
