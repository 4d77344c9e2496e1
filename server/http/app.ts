import { accessIssues } from '#shared/access.ts';
import { ApiError } from '#shared/contract/client.ts';
import { SESSION_COOKIE, WEBHOOK_PATH } from '#shared/constants.ts';
import { DomainError, statusOf, type ErrorCode } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { isApiToken } from '#shared/token-scopes.ts';
import { checkedForm } from './body.ts';
import { compressed } from './compress.ts';
import { readCookie } from './cookies.ts';
import { envelope } from './errors.ts';
import type { CallInfo } from './implement.ts';
import type { RequestLog } from './log.ts';
import { pathOf } from './path.ts';
import type { Peer } from './peer.ts';
import { BASE_HEADERS, strictTransport } from './security.ts';
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

interface AppDeps {
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
  readonly apiOnly: boolean;
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

/** Answers a request. Never rejects: whatever goes wrong has an answer of its own. */
export type HttpApp = (request: Request, server: ServerHandle | null) => Promise<Response>;

/** A request under way, and what is known of it before anybody looks at what it wants. */
interface Visit {
  readonly request: Request;
  readonly peer: Peer;
  readonly requestId: string;
  readonly https: boolean;
  readonly path: string;
  readonly begunMs: number;
  readonly keepOpen: () => void;
}

/**
 * The whole HTTP application: request id, access check, body limit, session secret, origin check, then the API, an
 * asset or a page, its compression, security headers and log line. Every answer goes through here and none leaves
 * without its headers.
 */
export function createHttpApp(deps: AppDeps): HttpApp {
  return async (request, server) => {
    const peer = deps.readPeer(request, server?.requestIP(request)?.address ?? null);
    const visit: Visit = {
      request,
      peer,
      requestId: deps.newId(),
      https: peer.reached.protocol === 'https',
      path: pathOf(request.url),
      begunMs: deps.now(),
      keepOpen: () => server?.timeout(request, 0),
    };
    try {
      return finalize(deps, visit, await compress(deps, visit, await route(deps, visit)), null);
    } catch (error) {
      return fail(deps, visit, error);
    }
  };
}

/** Status in the log of a request whose visitor left before the answer. */
const LEFT = 499;
const TOO_LARGE = statusOf('PAYLOAD_TOO_LARGE');

function compress(deps: AppDeps, { request, path }: Visit, response: Response): Response | Promise<Response> {
  return deps.compression && !path.startsWith('/assets/') ? compressed(request, response) : response;
}

/** Puts the headers of every answer on it, and writes the request's line into the log. */
function finalize(deps: AppDeps, visit: Visit, response: Response, code: ErrorCode | null): Response {
  const { request, requestId, https, path } = visit;
  const { headers } = response;
  for (const [name, value] of BASE_HEADERS) if (!headers.has(name)) headers.set(name, value);
  if (https) headers.set('Strict-Transport-Security', strictTransport(deps.hstsSubdomains));
  // Tells browsers which build answers.
  headers.set('X-Build', deps.buildId);
  headers.set('X-Request-Id', requestId);
  // Whatever of a refused body is still on its way is not read any more.
  if (response.status === TOO_LARGE || (response.status >= 400 && request.headers.has('transfer-encoding')))
    headers.set('Connection', 'close');
  deps.log.info('http.request', {
    request_id: requestId,
    method: request.method,
    path,
    status: response.status,
    ms: deps.now() - visit.begunMs,
    address: visit.peer.address,
    ...(code ? { code } : {}),
  });
  return response;
}

/** The answer to a request that failed. */
function fail(deps: AppDeps, visit: Visit, error: unknown): Response {
  // Nobody is there any more to be answered: no fault of ours.
  if (visit.request.signal.aborted) return finalize(deps, visit, new Response(null, { status: LEFT }), null);
  const code = codeOf(error);
  if (code === 'SERVER_ERROR') logFault(deps, 'http.failed', visit.requestId, visit.path, error);
  const details = error instanceof DomainError ? error : undefined;
  return finalize(deps, visit, envelope(code, visit.requestId, details, statusOf(code)), code);
}

function logFault(deps: AppDeps, event: string, requestId: string, path: string, error: unknown): void {
  deps.log.error(event, {
    request_id: requestId,
    path,
    error: error instanceof Error ? error.stack : String(error),
  });
}

/** Finds who answers a request: a fixed text, an asset, the API or a page. Throws DomainError where nobody does. */
async function route(deps: AppDeps, visit: Visit): Promise<Response> {
  const { request, peer, path, requestId } = visit;
  if (path === '/healthz') return plain('ok');
  if (path === '/robots.txt') return plain(deps.page ? ROBOTS : 'User-agent: *\nDisallow: /');
  if (path === '/readyz') return (await deps.ready()) ? plain('ready') : plain('not ready', 503);
  const isApi = path === '/api' || path.startsWith('/api/');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const asset = !isApi && isRead ? await deps.assets?.(path, request) : null;
  if (asset) return asset;
  // Another service calls: it has no session, and comes from no page of ours; its own signature is looked at by the
  // handler.
  const isHook = path.startsWith(WEBHOOK_PATH);
  const cookie = isHook ? null : request.headers.get('cookie');
  const bearer = isHook && !deps.apiOnly ? null : bearerOf(request.headers.get('authorization'));
  const info: CallInfo = {
    requestId: bearer && peer.loopback ? (request.headers.get('x-request-id') ?? requestId) : requestId,
    address: peer.address,
    locale: deps.chooseLocale(cookie, request.headers.get('accept-language')),
    secret: bearer ?? (deps.apiOnly ? null : sessionIn(cookie)),
    keepOpen: visit.keepOpen,
  };
  const local = deps.local && peer.loopback;
  const toPageCall = (): PageCall => ({
    request,
    url: new URL(request.url),
    // Pages are for browsers: an API token opens none.
    info: bearer && isApiToken(bearer) ? { ...info, secret: null } : info,
    https: visit.https,
    cookie,
    local,
  });
  if (deps.plain && path === '/docs/reverse-proxy') return deps.plain.proxyHelp(toPageCall());
  // A process without pages is reached by our own backend-for-frontend, which has checked the visitor's way already.
  if (deps.plain && !local && accessIssues(peer.reached).length > 0) {
    return isApi ? envelope('ACCESS_BLOCKED', requestId) : deps.plain.blocked(toPageCall(), peer);
  }
  if (Number(request.headers.get('content-length')) > deps.ceiling(request.method, path)) {
    // A form that was sent without scripts is answered with a page.
    if (isApi || !deps.plain) throw new DomainError('PAYLOAD_TOO_LARGE');
    return deps.plain.failed(toPageCall(), 'PAYLOAD_TOO_LARGE');
  }
  if (!isRead && !bearer && !deps.apiOnly && !isHook) checkOrigin(request, peer, deps.appOrigin);
  if (path === '/api/openapi.json')
    return new Response(deps.openapi(), { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
  if (isApi) return deps.transport.forward(request, info);
  if (!deps.page) throw new DomainError('NOT_FOUND');
  if (!isRead && request.method !== 'POST') throw new DomainError('METHOD_NOT_ALLOWED');
  return pageOrFailure(deps, deps.page, toPageCall());
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
    if (code === 'SERVER_ERROR') logFault(deps, 'page.failed', call.info.requestId, call.url.pathname, error);
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

/** The session secret of a cookie. An API token is no session, and a cookie no way to send one. */
function sessionIn(cookie: string | null): string | null {
  const secret = readCookie(cookie, SESSION_COOKIE);
  return secret && isApiToken(secret) ? null : secret;
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
