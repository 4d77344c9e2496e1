import { Hono } from 'hono';
import { CONTRACT, ENDPOINTS, type Contract } from '#shared/contract/index.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { Flags } from '#shared/flags.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { can } from '#shared/permissions.ts';
import { fieldErrors } from '#shared/validation.ts';
import type { Actor, Ctx, Log } from '#server/modules/kernel.ts';
import { readJson } from './body.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { envelope } from './errors.ts';
import { Prepared, type CsvAnswer, type HandlerCtx, type Handlers, type ServerEvent } from './implement.types.ts';
import { addressKey } from './peer.ts';
import { eventStream } from './sse.ts';

export * from './implement.types.ts';

/** Facts of a call that the transport knows: they do not come from the request's own headers. */
export interface CallInfo {
  readonly requestId: string;
  readonly address: string;
  readonly locale: Locale;
  /** The session secret: from the cookie, the bearer header, or handed over by server rendering. */
  readonly secret: string | null;
  /** Lifts the idle time-out of the connection, for event streams. */
  readonly keepOpen: () => void;
}

export type AllHandlers = { readonly [G in keyof Contract]: Handlers<Contract[G]> };

export interface ApiDeps {
  readonly handlers: AllHandlers;
  /** Who a session secret belongs to; null when it is unknown, expired or ended. */
  readonly resolve: (secret: string) => Promise<Actor | null>;
  readonly flags: () => Flags;
  readonly takeLimit: (name: NonNullable<Endpoint['limit']>, key: string) => number;
  readonly hash: (text: string) => string;
  readonly log: Log;
  /** Aborts when the server is to stop: open event streams end. */
  readonly streams?: AbortSignal;
}

/** The hosting API as a function: what server rendering, the HTTP server and the tests call. */
export interface ApiApp {
  fetch(request: Request, info: CallInfo): Promise<Response>;
}

type AnyHandler = (ctx: HandlerCtx, input: { params: unknown; query: unknown; body: unknown }) => Promise<unknown>;
interface Env {
  Bindings: { info: CallInfo };
}

/**
 * Builds the API from the contract and its handlers. Each call runs, in this order: session, access, feature flag, rate limit,
 * validation of parameters, query and body, handler, validation of the answer. Every error leaves as the closed envelope.
 */
export function createApiApp(deps: ApiDeps): ApiApp {
  const app = new Hono<Env>();
  for (const endpoint of ENDPOINTS) {
    const [group, name] = endpoint.name.split('.') as [keyof Contract, string];
    const handler = (deps.handlers[group] as Readonly<Record<string, AnyHandler>>)[name];
    if (!handler) throw new Error(`no handler for ${endpoint.name}`);
    app.on(endpoint.method, endpoint.path, (c) => call(deps, endpoint, handler, c.req.raw, c.req.param(), c.env.info));
  }
  const paths = [...new Set(ENDPOINTS.map((endpoint) => endpoint.path))].map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
  app.notFound((c) => envelope(paths.some((path) => path.test(c.req.path)) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND', c.env.info.requestId));
  app.onError((error, c) => failed(deps, error, c.env.info));
  return { fetch: async (request, info) => app.fetch(request, { info }) };
}

async function call(deps: ApiDeps, endpoint: Endpoint & { name: string }, handler: AnyHandler, request: Request, params: unknown, info: CallInfo): Promise<Response> {
  const setCookies: string[] = [];
  try {
    const actor = info.secret ? await deps.resolve(info.secret) : null;
    guard(endpoint, actor);
    const flag = endpoint.flag;
    if (flag && !deps.flags()[flag]) throw new DomainError('FEATURE_DISABLED');
    limit(deps, endpoint, actor, info);
    const input = await readInput(endpoint, request, params);
    const header = request.headers.get('cookie');
    const ctx: HandlerCtx = {
      actor,
      requestId: info.requestId,
      locale: info.locale,
      address: info.address,
      userAgent: (request.headers.get('user-agent') ?? '').slice(0, 400),
      idempotency: idempotency(deps, endpoint, request, input),
      signal: endpoint.format === 'events' && deps.streams ? AbortSignal.any([request.signal, deps.streams]) : request.signal,
      secret: info.secret,
      cookies: {
        get: (name) => readCookie(header, name),
        set: (name, value, options) => void setCookies.push(writeCookie(name, value, options)),
      },
    };
    return withCookies(await answer(endpoint, await handler(ctx, input), ctx, info), setCookies);
  } catch (error) {
    return withCookies(failed(deps, error, info, endpoint.name), setCookies);
  }
}

function guard(endpoint: Endpoint, actor: Actor | null): void {
  if (endpoint.access === 'open') return;
  if (!actor) throw new DomainError('UNAUTHENTICATED');
  if (endpoint.access !== 'signed-in' && !can(actor.permissions, endpoint.access)) throw new DomainError('FORBIDDEN');
  if (endpoint.verified && !actor.verified) throw new DomainError('ACCOUNT_UNVERIFIED');
}

function limit(deps: ApiDeps, endpoint: Endpoint, actor: Actor | null, info: CallInfo): void {
  const name = endpoint.limit ?? (endpoint.method === 'GET' ? 'read' : 'write');
  const byUser = actor !== null && name !== 'login' && name !== 'register';
  const wait = deps.takeLimit(name, byUser ? actor.userId : addressKey(info.address));
  if (wait > 0) throw new DomainError('RATE_LIMITED', { retryAfterS: wait });
}

async function readInput(endpoint: Endpoint, request: Request, params: unknown) {
  const input: { params: unknown; query: unknown; body: unknown } = { params: undefined, query: undefined, body: undefined };
  if (endpoint.params) {
    const parsed = endpoint.params.safeParse(params);
    if (!parsed.success) throw new DomainError('NOT_FOUND');
    input.params = parsed.data;
  }
  if (endpoint.query) {
    const at = request.url.indexOf('?');
    const parsed = endpoint.query.safeParse(at < 0 ? {} : Object.fromEntries(new URLSearchParams(request.url.slice(at + 1))), { reportInput: true });
    if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
    input.query = parsed.data;
  }
  if (endpoint.body) {
    const parsed = endpoint.body.safeParse(await readJson(request), { reportInput: true });
    if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
    input.body = parsed.data;
  }
  return input;
}

function idempotency(deps: ApiDeps, endpoint: Endpoint & { name: string }, request: Request, input: object): Ctx['idempotency'] {
  const key = endpoint.idempotent ? request.headers.get('idempotency-key') : null;
  if (key === null) return null;
  if (!/^[\x21-\x7e]{8,200}$/.test(key)) throw new DomainError('BAD_REQUEST');
  return { key, hash: deps.hash(`${endpoint.name}\n${JSON.stringify(input)}`) };
}

async function answer(endpoint: Endpoint, output: unknown, ctx: HandlerCtx, info: CallInfo): Promise<Response> {
  if (endpoint.format === 'events') {
    info.keepOpen();
    return eventStream(output as AsyncIterable<ServerEvent>, ctx.signal);
  }
  if (endpoint.format === 'csv') return csv(output as CsvAnswer);
  if (output instanceof Prepared) return new Response(output.json, { headers: JSON_HEADERS });
  const fields = endpoint.response ? (endpoint.response.parse(output) as object) : {};
  return new Response(JSON.stringify({ success: true, error_code: null, ...fields }), { headers: JSON_HEADERS });
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

function csv(answer: CsvAnswer): Response {
  return new Response(`\uFEFF${answer.body}`, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${answer.filename.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
      'Cache-Control': 'no-store',
    },
  });
}

function withCookies(response: Response, lines: readonly string[]): Response {
  for (const line of lines) response.headers.append('Set-Cookie', line);
  return response;
}

/** The answer to a thrown error: coded for ours, SERVER_ERROR with only a request id for everything else. */
function failed(deps: ApiDeps, error: unknown, info: CallInfo, endpoint?: string): Response {
  if (error instanceof DomainError) {
    // A failed session is an answer of the session endpoint, not a failure of the call (specification, section 4).
    const status = endpoint === 'session.get' && error.code !== 'SERVER_UNAVAILABLE' ? 200 : undefined;
    return envelope(error.code, info.requestId, error, status);
  }
  if (error instanceof DOMException && error.name === 'AbortError') return envelope('BAD_REQUEST' satisfies ErrorCode, info.requestId);
  deps.log.error('api.failed', { request_id: info.requestId, endpoint, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  return envelope('SERVER_ERROR', info.requestId);
}

/** The contract the handlers implement; re-exported for composition. */
export { CONTRACT };
