import { accessIssues } from '#shared/access.ts';
import { ApiError } from '#shared/contract/client.ts';
import { SESSION_COOKIE, WEBHOOK_PATH } from '#shared/constants.ts';
import { DomainError, statusOf, type ErrorCode } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { checkedForm } from './body.ts';
import { compressed } from './compress.ts';
import { readCookie } from './cookies.ts';
import { envelope } from './errors.ts';
import type { CallInfo } from './implement.ts';
import type { RequestLog } from './log.ts';
import { pathOf } from './path.ts';
import type { Peer } from './peer.ts';
import { baseHeaders, jsonHead } from './security.ts';
import type { ApiTransport } from './transport.ts';

/** What a page renderer is given. */
export interface PageCall {
  readonly request: Request;
  readonly url: URL;
  readonly info: CallInfo;
  readonly https: boolean;
  readonly cookie: string | null;
  /** A visitor of this machine whom `serve --local` lets in, whatever the access check says. */
  readonly local: boolean;
}

export interface AppDeps {
  readonly readPeer: (request: Request, socketAddress: string | null) => Peer;
  /** Loopback visitors pass the access check (`serve --local`). */
  readonly local: boolean;
  readonly appOrigin: string | null;
  /** Answers are compressed for callers who take that. */
  readonly compression: boolean;
  /** The promise of HTTPS counts for hosts below this one as well. */
  readonly hstsSubdomains: boolean;
  /** Most bytes of a body to a method and path. */
  readonly ceiling: (method: string, path: string) => number;
  /**
   * Only our own backend-for-frontend calls: sessions come as bearer tokens, cookies open nothing, so there is no
   * origin to check.
   */
  readonly behind: boolean;
  readonly transport: ApiTransport;
  /** Static files of the client; null when the path is none of them. */
  readonly assets: ((path: string, request: Request) => Response | Promise<Response> | null) | null;
  /** Renders a page; null in a process that only serves the API. */
  readonly page: ((call: PageCall) => Promise<Response>) | null;
  /**
   * Pages that need no session: the blocking overlay for a visitor who came by the wrong way, and the help it links to.
   * Null without pages.
   */
  readonly plain: {
    blocked(call: PageCall, peer: Peer): Promise<Response>;
    proxyHelp(call: PageCall): Promise<Response>;
    failed(call: PageCall, code: ErrorCode): Promise<Response>;
  } | null;
  readonly chooseLocale: (cookie: string | null, acceptLanguage: string | null) => Locale;
  readonly ready: () => Promise<boolean>;
  readonly openapi: () => string;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: RequestLog;
  readonly buildId: string;
}

/** The part of Bun's server that the application needs. */
export interface ServerHandle {
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
}

/**
 * The whole HTTP application: request id, log line, security headers, access check, body limit, session secret, origin
 * check, then the API, an asset or a page. Every answer goes through here and none leaves without its headers.
 */
export function createHttpApp(deps: AppDeps): HttpApp {
  const [plainWay, secureWay] = [false, true].map((https) => {
    const every = { ...baseHeaders(https, deps.hstsSubdomains), [BUILD_HEADER]: deps.buildId };
    return { list: Object.entries(every), head: jsonHead(every) };
  });
  return (request, server) => {
    const begun = deps.now();
    const peer = deps.readPeer(request, server?.requestIP(request)?.address ?? null);
    const requestId = deps.newId();
    const https = peer.reached.protocol === 'https';
    const way = https ? secureWay : plainWay;
    const path = pathOf(request.url);
    const leave = (response: Response, code: ErrorCode | null): Response => {
      const { headers } = response;
      // An answer that was made from the pattern has them already.
      if (!headers.has(BUILD_HEADER)) {
        for (const [name, value] of way?.list ?? []) if (!headers.has(name)) headers.set(name, value);
      }
      headers.set('X-Request-Id', requestId);
      // Whatever of a refused body is still on its way is not read any more.
      if (response.status === TOO_LARGE || (response.status >= 400 && request.headers.has('transfer-encoding')))
        headers.set('Connection', 'close');
      const fields: Record<string, unknown> = {
        request_id: requestId,
        method: request.method,
        path,
        status: response.status,
        ms: deps.now() - begun,
        address: peer.address,
      };
      if (code) fields.code = code;
      deps.log.info('http.request', fields);
      return response;
    };
    const fail = (error: unknown): Response => {
      // Nobody is there any more to be answered: no fault of ours.
      if (request.signal.aborted) return leave(new Response(null, { status: LEFT }), null);
      const code = codeOf(error);
      if (code === 'SERVER_ERROR')
        deps.log.error('http.failed', {
          request_id: requestId,
          path,
          error: error instanceof Error ? error.stack : String(error),
        });
      return leave(envelope(code, requestId, error instanceof DomainError ? error : undefined, statusOf(code)), code);
    };
    let response: Response | Promise<Response>;
    try {
      response = route(deps, request, peer, {
        requestId,
        https,
        path,
        head: way?.head,
        keepOpen: () => server?.timeout(request, 0),
      });
    } catch (error) {
      return fail(error);
    }
    const pack = (answer: Response) =>
      deps.compression && !path.startsWith('/assets/') ? compressed(request, answer) : answer;
    const ready = response instanceof Promise ? response.then(pack) : pack(response);
    return ready instanceof Promise ? ready.then((late) => leave(late, null)).catch(fail) : leave(ready, null);
  };
}

/** Status in the log of a request whose visitor left before the answer. */
const LEFT = 499;
const TOO_LARGE = statusOf('PAYLOAD_TOO_LARGE');

/**
 * Answers a request: without a promise where nothing was waited for, which is most of what a call for the session
 * costs.
 */
export type HttpApp = (request: Request, server: ServerHandle | null) => Response | Promise<Response>;

/**
 * Tells browsers which build answers. Nobody else sets it: its presence says that the headers of every answer are
 * there.
 */
const BUILD_HEADER = 'X-Build';

interface RouteInfo {
  readonly requestId: string;
  readonly https: boolean;
  readonly path: string;
  readonly head: Headers | undefined;
  readonly keepOpen: () => void;
}

function route(deps: AppDeps, request: Request, peer: Peer, about: RouteInfo): Response | Promise<Response> {
  const { path, requestId } = about;
  if (path === '/healthz') return plain('ok');
  if (path === '/robots.txt') return plain(deps.page ? ROBOTS : 'User-agent: *\nDisallow: /');
  if (path === '/readyz') return deps.ready().then((ready) => (ready ? plain('ready') : plain('not ready', 503)));
  const isApi = path === '/api' || path.startsWith('/api/');
  if (!isApi && (request.method === 'GET' || request.method === 'HEAD')) {
    const asset = deps.assets?.(path, request);
    if (asset) return asset;
  }
  // Another service calls: it has no session, and comes from no page of ours; its own signature is looked at by the
  // handler.
  const hook = path.startsWith(WEBHOOK_PATH);
  const cookie = hook ? null : request.headers.get('cookie');
  const bearer = hook && !deps.behind ? null : bearerOf(request.headers.get('authorization'));
  const info: CallInfo = {
    requestId: bearer && peer.loopback ? (request.headers.get('x-request-id') ?? requestId) : requestId,
    address: peer.address,
    locale: deps.chooseLocale(cookie, request.headers.get('accept-language')),
    secret: bearer ?? (deps.behind ? null : readCookie(cookie, SESSION_COOKIE)),
    keepOpen: about.keepOpen,
    head: about.head,
  };
  const local = deps.local && peer.loopback;
  const call = (): PageCall => ({ request, url: new URL(request.url), info, https: about.https, cookie, local });
  if (deps.plain && path === '/docs/reverse-proxy') return deps.plain.proxyHelp(call());
  // A process without pages is reached by our own backend-for-frontend, which has checked the visitor's way already.
  if (deps.plain && !local && accessIssues(peer.reached).length > 0) {
    return isApi ? envelope('ACCESS_BLOCKED', requestId) : deps.plain.blocked(call(), peer);
  }
  if (Number(request.headers.get('content-length') ?? 0) > deps.ceiling(request.method, path)) {
    // A form that was sent without scripts is answered with a page.
    if (isApi || !deps.plain) throw new DomainError('PAYLOAD_TOO_LARGE');
    return deps.plain.failed(call(), 'PAYLOAD_TOO_LARGE');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD' && !bearer && !deps.behind && !hook)
    checkOrigin(request, peer, deps.appOrigin);
  if (path === '/api/openapi.json')
    return new Response(deps.openapi(), { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
  if (isApi) return deps.transport.forward(request, info);
  if (!deps.page) throw new DomainError('NOT_FOUND');
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) throw new DomainError('METHOD_NOT_ALLOWED');
  return pageOrFailure(deps, deps.page, call());
}

/** A page, or the page that says why there is none. */
async function pageOrFailure(deps: AppDeps, page: NonNullable<AppDeps['page']>, call: PageCall): Promise<Response> {
  try {
    return await page(
      call.request.method === 'POST'
        ? { ...call, request: await checkedForm(call.request, deps.ceiling('POST', call.url.pathname)) }
        : call,
    );
  } catch (error) {
    if (!deps.plain || call.request.signal.aborted) throw error;
    const code = codeOf(error);
    if (code === 'SERVER_ERROR')
      deps.log.error('page.failed', {
        request_id: call.info.requestId,
        path: call.url.pathname,
        error: error instanceof Error ? error.stack : String(error),
      });
    return deps.plain.failed(call, code);
  }
}

function codeOf(error: unknown): ErrorCode {
  return error instanceof DomainError || error instanceof ApiError ? error.code : 'SERVER_ERROR';
}

/**
 * Refuses a change that another site asked for (attacks T37). A browser says where a request comes from: by Origin, or
 * by Sec-Fetch-Site. A caller that says neither is no browser with a session of ours and is refused as well.
 */
function checkOrigin(request: Request, peer: Peer, appOrigin: string | null): void {
  const origin = request.headers.get('origin');
  if (origin !== null) {
    if (origin.toLowerCase() === peer.origin || (appOrigin !== null && origin === appOrigin)) return;
    throw new DomainError('ORIGIN_REFUSED');
  }
  if (request.headers.get('sec-fetch-site') === 'same-origin') return;
  throw new DomainError('ORIGIN_REFUSED');
}

function bearerOf(header: string | null): string | null {
  const found = header ? /^Bearer ([A-Za-z0-9._~+/=-]{20,200})$/.exec(header) : null;
  return found?.[1] ?? null;
}

/** Search engines find the way in and what anybody may read; what needs a session answers them with the log-in. */
const ROBOTS = 'User-agent: *\nDisallow: /api/\nDisallow: /mc-admin\nDisallow: /errors/';

function plain(text: string, status = 200): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
