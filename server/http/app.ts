import { accessIssues } from '#shared/access.ts';
import { ApiError } from '#shared/contract/client.ts';
import { SESSION_COOKIE, WEBHOOK_PATH } from '#shared/constants.ts';
import { DomainError, statusOf, type ErrorCode } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { parseImagePath } from '#shared/images.ts';
import { isApiToken } from '#shared/token-scopes.ts';
import { arrivalOf, readingAs, writeArrival } from './arrival.ts';
import { parseBearer } from './bearer.ts';
import { bufferForm } from './body.ts';
import { compressResponse } from './compress.ts';
import { readCookie } from './cookies.ts';
import { errorResponse } from './errors.ts';
import type { CallInfo } from './implement.ts';
import type { RequestLog } from './log.ts';
import { pathOf } from './path.ts';
import type { Peer } from './peer.ts';
import { BASE_HEADERS, strictTransport } from './security.ts';
import type { ApiTransport } from './transport.ts';

/** What a page is rendered from. */
export interface PageCall {
  readonly request: Request;
  readonly url: URL;
  readonly info: CallInfo;
  readonly https: boolean;
  readonly cookie: string | null;
  /** A visitor on this machine, who passes the access check under `serve --local`. */
  readonly local: boolean;
}

export interface HttpAppDeps {
  readonly readPeer: (request: Request, socketAddress: string | null) => Peer;
  /** Visitors from loopback addresses pass the access check (`serve --local`). */
  readonly local: boolean;
  /** The origin that the environment names as ours; null: none but that at which a request reached us. */
  readonly appOrigin: string | null;
  /** Where images of users are shown, and nothing else is; null: nowhere but here. */
  readonly imageOrigin?: () => string | null;
  /** Responses are compressed for callers who accept it. */
  readonly compression: boolean;
  /** Strict-Transport-Security covers the subdomains as well. */
  readonly hstsSubdomains: boolean;
  /** The most bytes that a body sent to a method and path may have. */
  readonly ceiling: (method: string, path: string) => number;
  /**
   * Only our own backend-for-frontend calls this process: sessions come as bearer tokens and cookies authenticate
   * nobody, so there is no origin to check.
   */
  readonly apiOnly: boolean;
  readonly transport: ApiTransport;
  /** Static files of the client; null when the path is none of them. */
  readonly assets: ((path: string, request: Request) => Response | Promise<Response> | null) | null;
  /** Renders a page; null in a process that only serves the API. */
  readonly page: ((call: PageCall) => Promise<Response>) | null;
  /**
   * Pages that need no session: the overlay that blocks a visitor who reached us at a wrong address, the help it links
   * to, the reference of the API, and errors. Null in a process that only serves the API.
   */
  readonly publicPages: {
    blocked(call: PageCall, peer: Peer): Promise<Response>;
    proxyHelp(call: PageCall): Promise<Response>;
    apiDocs(call: PageCall): Promise<Response>;
    failed(call: PageCall, code: ErrorCode): Promise<Response>;
  } | null;
  readonly chooseLocale: (cookie: string | null, acceptLanguage: string | null) => Locale;
  readonly ready: () => Promise<boolean>;
  /** Counts what was answered; absent: nobody does. */
  readonly meter?: { note(status: number, ms: number): void } | undefined;
  /** Answers for the metrics; absent: this application has none. */
  readonly metrics?: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly openapi: () => string;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: Pick<RequestLog, 'debug' | 'info' | 'warn' | 'error'>;
  readonly buildId: string;
}

/** The part of Bun's server that the application needs. */
export interface ServerHandle {
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
}

/** Answers a request. Never rejects: every failure has a response. */
export type HttpApp = (request: Request, server: ServerHandle | null) => Promise<Response>;

/** A request, and what is known of it before it is routed. */
interface RequestContext {
  readonly request: Request;
  readonly peer: Peer;
  readonly requestId: string;
  readonly https: boolean;
  readonly path: string;
  readonly startedMs: number;
  readonly keepOpen: () => void;
  readonly readAs: NonNullable<CallInfo['readAs']>;
  readonly arrival: NonNullable<CallInfo['arrival']>;
}

/**
 * The whole HTTP application: request id, access check, body limit, session secret, origin check, then the API, an
 * asset or a page, its compression, security headers and log line. Every response goes through here, so that none is
 * sent without its headers.
 */
export function createHttpApp(deps: HttpAppDeps): HttpApp {
  return async (request, server) => {
    const socket = server?.requestIP(request)?.address ?? null;
    const peer = deps.readPeer(request, socket);
    let arrival: string | undefined;
    const context: RequestContext = {
      request,
      peer,
      requestId: deps.newId(),
      https: peer.reached.protocol === 'https',
      path: pathOf(request.url),
      startedMs: deps.now(),
      keepOpen: () => server?.timeout(request, 0),
      readAs: (proxies) => readingAs(arrivalOf(request, socket), (other) => isBlocked(deps, other))(proxies),
      // A page says it with each of its reads.
      arrival: () => (arrival ??= writeArrival(arrivalOf(request, socket))),
    };
    try {
      return finalize(deps, context, await compress(deps, context, await route(deps, context)), null);
    } catch (error) {
      return failureResponse(deps, context, error);
    }
  };
}

/** Status in the log of a request whose client disconnected before the response (nginx's 499). */
const CLIENT_CLOSED = 499;
const TOO_LARGE = statusOf('PAYLOAD_TOO_LARGE');

function compress(
  deps: HttpAppDeps,
  { request, path }: RequestContext,
  response: Response,
): Response | Promise<Response> {
  return deps.compression && !path.startsWith('/assets/') ? compressResponse(request, response) : response;
}

/** Sets the headers that every response has, and writes the request's line into the log. */
function finalize(deps: HttpAppDeps, context: RequestContext, response: Response, code: ErrorCode | null): Response {
  const { request, requestId, https, path } = context;
  const { headers } = response;
  for (const [name, value] of BASE_HEADERS) if (!headers.has(name)) headers.set(name, value);
  if (https) headers.set('Strict-Transport-Security', strictTransport(deps.hstsSubdomains));
  // Tells browsers which build answers.
  headers.set('X-Build', deps.buildId);
  headers.set('X-Request-Id', requestId);
  // The rest of a refused body is not read.
  if (response.status === TOO_LARGE || (response.status >= 400 && request.headers.has('transfer-encoding')))
    headers.set('Connection', 'close');
  const ms = deps.now() - context.startedMs;
  deps.meter?.note(response.status, ms);
  // A page brings forty files of the product: at this level they would hide what people did.
  const isRoutine = path.startsWith('/assets/') && response.status < 400;
  deps.log[isRoutine ? 'debug' : 'info']('http.request', {
    request_id: requestId,
    method: request.method,
    path,
    status: response.status,
    ms,
    address: context.peer.address,
    ...(code ? { code } : {}),
  });
  return response;
}

/** The response to a request that failed. */
function failureResponse(deps: HttpAppDeps, context: RequestContext, error: unknown): Response {
  // The client has disconnected: no fault of ours.
  if (context.request.signal.aborted)
    return finalize(deps, context, new Response(null, { status: CLIENT_CLOSED }), null);
  const code = toErrorCode(error);
  if (code === 'SERVER_ERROR') logError(deps, 'http.failed', context.requestId, context.path, error);
  const details = error instanceof DomainError ? error : undefined;
  return finalize(deps, context, errorResponse(code, context.requestId, details, statusOf(code)), code);
}

function logError(deps: HttpAppDeps, event: string, requestId: string, path: string, error: unknown): void {
  deps.log.error(event, {
    request_id: requestId,
    path,
    error: error instanceof Error ? error.stack : String(error),
  });
}

/** Routes a request to a fixed text, an asset, the API or a page. Throws DomainError where none of them fits. */
async function route(deps: HttpAppDeps, context: RequestContext): Promise<Response> {
  const { request, peer, path, requestId } = context;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === '/healthz') return textResponse('ok');
  if (path === '/robots.txt') return textResponse(deps.page ? ROBOTS : 'User-agent: *\nDisallow: /');
  if (path === '/readyz') return (await deps.ready()) ? textResponse('ready') : textResponse('not ready', 503);
  if (path === '/metrics' && deps.metrics) return deps.metrics(request);
  if (isRead && parseImagePath(path) !== null) return forwardImage(deps, context);
  if (peer.origin === deps.imageOrigin?.()) return textResponse('not found', 404);
  const isApi = path === '/api' || path.startsWith('/api/');
  const asset = !isApi && isRead ? await deps.assets?.(path, request) : null;
  if (asset) return asset;
  // Webhooks are called by other services: they have no session and no origin of ours. The handler verifies their
  // signature.
  const isWebhook = path.startsWith(WEBHOOK_PATH);
  const cookie = isWebhook ? null : request.headers.get('cookie');
  const bearer = isWebhook && !deps.apiOnly ? null : parseBearer(request.headers.get('authorization'));
  const info: CallInfo = {
    requestId: bearer && peer.loopback ? (request.headers.get('x-request-id') ?? requestId) : requestId,
    address: peer.address,
    locale: deps.chooseLocale(cookie, request.headers.get('accept-language')),
    secret: bearer ?? (deps.apiOnly ? null : readSessionSecret(cookie)),
    keepOpen: context.keepOpen,
    readAs: deps.apiOnly ? undefined : context.readAs,
    arrival: deps.apiOnly ? undefined : context.arrival,
  };
  const local = deps.local && peer.loopback;
  const toPageCall = (): PageCall => ({
    request,
    url: new URL(request.url),
    // Pages are for browsers: an API token does not authenticate there.
    info: bearer && isApiToken(bearer) ? { ...info, secret: null } : info,
    https: context.https,
    cookie,
    local,
  });
  if (deps.publicPages && path === '/docs/reverse-proxy') return deps.publicPages.proxyHelp(toPageCall());
  if (deps.publicPages && isBlocked(deps, peer)) {
    return isApi ? errorResponse('ACCESS_BLOCKED', requestId) : deps.publicPages.blocked(toPageCall(), peer);
  }
  if (Number(request.headers.get('content-length')) > deps.ceiling(request.method, path)) {
    // A form that a browser sent without scripts gets a page.
    if (isApi || !deps.publicPages) throw new DomainError('PAYLOAD_TOO_LARGE');
    return deps.publicPages.failed(toPageCall(), 'PAYLOAD_TOO_LARGE');
  }
  if (!isRead && !bearer && !deps.apiOnly && !isWebhook) checkOrigin(request, peer, deps.appOrigin);
  if (deps.publicPages && isRead && /^\/docs\/api(\/|$)/.test(path)) return deps.publicPages.apiDocs(toPageCall());
  if (path === '/api/openapi.json')
    return new Response(deps.openapi(), { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
  if (isApi) return deps.transport.forward(request, info);
  if (!deps.page) throw new DomainError('NOT_FOUND');
  if (!isRead && request.method !== 'POST') throw new DomainError('METHOD_NOT_ALLOWED');
  return renderPageOrFailure(deps, deps.page, toPageCall());
}

/**
 * Whether pages and the API are refused at the address that a visitor reached us at. A process without pages is called
 * by our own backend-for-frontend, which has already made this check.
 */
function isBlocked({ publicPages, local }: HttpAppDeps, peer: Peer): boolean {
  return publicPages !== null && isKeptOut(local, peer);
}

/** Whether a peer fails the access check. In: also whether visitors on this machine pass it (`serve --local`). */
export function isKeptOut(local: boolean, { loopback, reached }: Peer): boolean {
  return !(local && loopback) && accessIssues(reached).length > 0;
}

/** A file of an image of a user's: whose cookies come with it is not looked at. */
function forwardImage(
  deps: HttpAppDeps,
  { request, peer, path, requestId, keepOpen }: RequestContext,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of ['cookie', 'authorization']) headers.delete(name);
  const { method, signal } = request;
  const address = new URL(`/api/image-files/${path.slice('/i/'.length)}`, request.url);
  const info = { requestId, address: peer.address, locale: deps.chooseLocale(null, null), secret: null, keepOpen };
  return deps.transport.forward(new Request(address, { method, headers, signal }), info);
}

/** Renders a page, or the error page that says why it could not be rendered. */
async function renderPageOrFailure(
  deps: HttpAppDeps,
  page: NonNullable<HttpAppDeps['page']>,
  call: PageCall,
): Promise<Response> {
  try {
    return await page(
      call.request.method === 'POST'
        ? { ...call, request: await bufferForm(call.request, deps.ceiling('POST', call.url.pathname)) }
        : call,
    );
  } catch (error) {
    if (!deps.publicPages || call.request.signal.aborted) throw error;
    const code = toErrorCode(error);
    if (code === 'SERVER_ERROR') logError(deps, 'page.failed', call.info.requestId, call.url.pathname, error);
    return deps.publicPages.failed(call, code);
  }
}

/** The code that a thrown error is answered with. */
export function toErrorCode(error: unknown): ErrorCode {
  return error instanceof DomainError || error instanceof ApiError ? error.code : 'SERVER_ERROR';
}

/**
 * Refuses a change that another site requested (attacks T37). Browsers name the origin of a request in Origin or
 * Sec-Fetch-Site; a caller that sends neither is not a browser with a session of ours and is refused as well. Throws
 * ORIGIN_REFUSED.
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

/** The session secret in a Cookie header. API tokens are not accepted in cookies. */
function readSessionSecret(cookie: string | null): string | null {
  const secret = readCookie(cookie, SESSION_COOKIE);
  return secret && isApiToken(secret) ? null : secret;
}

/** Search engines may read public pages; pages that need a session redirect them to the log-in page anyway. */
const ROBOTS = 'User-agent: *\nDisallow: /api/\nDisallow: /mc-admin\nDisallow: /errors/';

function textResponse(text: string, status = 200): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
