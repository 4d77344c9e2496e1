import { zValidator } from '@hono/zod-validator';
import { Hono, type MiddlewareHandler } from 'hono';
import { safeParse, ZodMiniObject } from 'zod/mini';
import { CONTRACT, ENDPOINTS, type Contract } from '#shared/contract/index.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ceilingOf } from '#shared/ceilings.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { Switch } from '#shared/earning-sources.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { LIMITS, type LimitName } from '#shared/limits.ts';
import { can } from '#shared/permissions.ts';
import { fieldErrors } from '#shared/validation.ts';
import type { Actor, Ctx, Log } from '#server/modules/kernel.ts';
import { readJson, readUpload } from './body.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { envelope } from './errors.ts';
import {
  Prepared,
  type CsvAnswer,
  type FileAnswer,
  type HandlerCtx,
  type Handlers,
  type RedirectAnswer,
  type ServerEvent,
  type TextAnswer,
} from './implement.types.ts';
import { pathOf } from './path.ts';
import { addressKey } from './peer.ts';
import { JSON_HEADERS, secretHeaders } from './security.ts';
import { eventStream } from './sse.ts';
import { textStream } from './text-stream.ts';

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
  /**
   * Pattern for the headers of an answer in JSON, with those that the caller puts on every answer; absent: the plain
   * ones.
   */
  readonly head?: Headers | undefined;
}

export type AllHandlers = { readonly [G in keyof Contract]: Handlers<Contract[G]> };

export interface ApiDeps {
  readonly handlers: AllHandlers;
  /** Who a session secret belongs to; null when it is unknown, expired or ended. */
  readonly resolve: (secret: string) => Actor | null | Promise<Actor | null>;
  /** Flags and the other switches of features. */
  readonly flags: () => Readonly<Record<Switch, boolean>>;
  readonly takeLimit: (name: LimitName, key: string) => number;
  readonly hash: (text: string) => string;
  readonly log: Log;
  /** Looks on at commands of users, before they run; gives nothing where there is nothing to wait for. */
  readonly observe?: (ctx: HandlerCtx, actor: Actor) => Promise<void> | undefined;
  /** Aborts when the server is to stop: open event streams end. */
  readonly streams?: AbortSignal;
}

/** The hosting API as a function: what server rendering, the HTTP server and the tests call. */
export interface ApiApp {
  /** Without a promise where nothing was waited for. */
  fetch(request: Request, info: CallInfo): Response | Promise<Response>;
}

type AnyHandler = (ctx: HandlerCtx, input: Input) => unknown;
type Run = ApiApp['fetch'];
interface Env {
  Bindings: { info: CallInfo };
  Variables: { actor: Actor | null };
}

/**
 * Builds the API from the contract and its handlers. Each call runs, in this order: session, access, feature flag, rate
 * limit, validation of parameters, query and body, handler, validation of the answer. Every error leaves as the closed
 * envelope.
 */
export function createApiApp(deps: ApiDeps): ApiApp {
  const app = new Hono<Env>();
  const fixed = new Map<string, Map<string, Run>>();
  for (const endpoint of ENDPOINTS) {
    const [group, name] = endpoint.name.split('.') as [keyof Contract, string];
    const handler = (deps.handlers[group] as Readonly<Record<string, AnyHandler>>)[name];
    if (!handler) throw new Error(`no handler for ${endpoint.name}`);
    const { method, path } = endpoint;
    if (endpoint.params) {
      app.on(method, path, entrance(deps, endpoint), addressParts(endpoint.params), (c) =>
        call(deps, endpoint, handler, {
          request: c.req.raw,
          info: c.env.info,
          actor: c.get('actor'),
          params: c.req.valid('param'),
        }),
      );
      continue;
    }
    const serve = (request: Request, info: CallInfo, actor: Actor | null) =>
      call(deps, endpoint, handler, { request, info, actor, params: undefined });
    // Without a promise where nothing is waited for: who asks is mostly known.
    const run: Run = (request, info) => {
      try {
        const actor = enter(deps, endpoint, info);
        if (!(actor instanceof Promise)) return serve(request, info, actor);
        return actor
          .then((late) => serve(request, info, late))
          .catch((error: unknown) => failed(deps, error, info, endpoint.name));
      } catch (error) {
        return failed(deps, error, info, endpoint.name);
      }
    };
    app.on(method, path, (c) => run(c.req.raw, c.env.info));
    const runs = fixed.get(path) ?? new Map<string, Run>();
    fixed.set(path, runs.set(method, run));
  }
  const paths = [...new Set(ENDPOINTS.map((endpoint) => endpoint.path))].map(
    (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  );
  app.notFound((c) =>
    envelope(paths.some((path) => path.test(c.req.path)) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND', c.env.info.requestId),
  );
  app.onError((error, c) => failed(deps, error, c.env.info));
  return {
    fetch(request, info) {
      // A path without parameters needs no search.
      const run = fixed.get(pathOf(request.url))?.get(request.method);
      return run ? run(request, info) : app.fetch(request, { info });
    },
  };
}

/**
 * Who asks, and whether they may: session, access, feature flag, rate limit. Comes before anybody looks at what was
 * sent.
 */
function enter(deps: ApiDeps, endpoint: Endpoint, info: CallInfo): Actor | null | Promise<Actor | null> {
  const found = info.secret ? deps.resolve(info.secret) : null;
  return found instanceof Promise
    ? found.then((late) => letIn(deps, endpoint, info, late))
    : letIn(deps, endpoint, info, found);
}

function letIn(deps: ApiDeps, endpoint: Endpoint, info: CallInfo, found: Actor | null): Actor | null {
  const actor = halfway(endpoint, found);
  guard(endpoint, actor);
  const flag = endpoint.flag;
  if (flag && !deps.flags()[flag]) throw new DomainError('FEATURE_DISABLED');
  limit(deps, endpoint, actor, info);
  return actor;
}

/**
 * A session that has not got all the way: to what is open it is a guest, from everything else it is kept (behaviour
 * 3.5; attacks T30).
 */
function halfway(endpoint: Endpoint, actor: Actor | null): Actor | null {
  if (actor?.waiting && !endpoint.waiting) {
    if (endpoint.access === 'open') return null;
    throw new DomainError('TW0_FA_BLOCKED');
  }
  if (actor?.mustSetUp && !endpoint.settingUp && endpoint.access !== 'open')
    throw new DomainError('TWO_FACTOR_REQUIRED');
  return actor;
}

const entrance =
  (deps: ApiDeps, endpoint: Endpoint): MiddlewareHandler<Env> =>
  async (c, next) => {
    c.set('actor', await enter(deps, endpoint, c.env.info));
    await next();
  };

/** The parts of the address. One that cannot be is an address that is not there. */
const addressParts = (schema: NonNullable<Endpoint['params']>) =>
  zValidator('param', schema, (result) => {
    if (!result.success) throw new DomainError('NOT_FOUND');
  });

/** A call that may be answered. `params`: the checked parts of its address. */
interface Entered {
  readonly request: Request;
  readonly info: CallInfo;
  readonly actor: Actor | null;
  readonly params: unknown;
}

/** Reads what was sent and answers. Never throws nor rejects: an error becomes its answer. */
function call(
  deps: ApiDeps,
  endpoint: Endpoint & { name: string },
  handler: AnyHandler,
  entered: Entered,
): Response | Promise<Response> {
  const { params, query, body, upload } = endpoint;
  if (!params && !query && !body && !upload) return answered(deps, endpoint, handler, { ...entered, input: NO_INPUT });
  return readInput(endpoint, entered.request, entered.params).then(
    (input) => answered(deps, endpoint, handler, { ...entered, input }),
    (error: unknown) => failed(deps, error, entered.info, endpoint.name),
  );
}

function answered(
  deps: ApiDeps,
  endpoint: Endpoint & { name: string },
  handler: AnyHandler,
  { request, info, actor, input }: Entered & { input: Input },
): Response | Promise<Response> {
  const setCookies: string[] = [];
  const fail = (error: unknown) => withCookies(failed(deps, error, info, endpoint.name), setCookies);
  try {
    let signal = endpoint.format === 'events' && deps.streams ? AbortSignal.any([request.signal, deps.streams]) : null;
    const ctx: HandlerCtx = {
      actor,
      requestId: info.requestId,
      locale: info.locale,
      address: info.address,
      idempotency: idempotency(deps, endpoint, request, input),
      // Both are made when they are asked for: few handlers do.
      get userAgent() {
        return (request.headers.get('user-agent') ?? '').slice(0, 400);
      },
      get signal() {
        return (signal ??= request.signal);
      },
      secret: info.secret,
      header: (name) => request.headers.get(name),
      cookies: {
        get: (name) => readCookie(request.headers.get('cookie'), name),
        set: (name, value, options) => void setCookies.push(writeCookie(name, value, options)),
      },
    };
    const give = (output: unknown) => withCookies(answer(endpoint, output, { ctx, info, request }), setCookies);
    const looked = actor && endpoint.method !== 'GET' ? deps.observe?.(ctx, actor) : undefined;
    const output = looked ? looked.then(() => handler(ctx, input)) : handler(ctx, input);
    return output instanceof Promise ? output.then(give).catch(fail) : give(output);
  } catch (error) {
    return fail(error);
  }
}

function guard(endpoint: Endpoint, actor: Actor | null): void {
  if (endpoint.access === 'open') return;
  if (!actor) throw new DomainError('UNAUTHENTICATED');
  if (endpoint.access !== 'signed-in' && !can(actor.permissions, endpoint.access)) throw new DomainError('FORBIDDEN');
  if (endpoint.verified && !actor.verified) throw new DomainError('ACCOUNT_UNVERIFIED');
}

function limit(deps: ApiDeps, endpoint: Endpoint, actor: Actor | null, info: CallInfo): void {
  const name = endpoint.limit ?? (endpoint.method === 'GET' ? (actor ? 'read' : 'guestRead') : 'write');
  const byUser = actor !== null && LIMITS[name].per === 'user';
  const wait = deps.takeLimit(name, byUser ? actor.userId : addressKey(info.address));
  if (wait > 0) throw new DomainError('RATE_LIMITED', { retryAfterS: wait });
}

/** The checked parts of what was sent. */
interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}
const NO_INPUT: Input = { params: undefined, query: undefined, body: undefined };

async function readInput(endpoint: Endpoint, request: Request, params: unknown): Promise<Input> {
  const input: Input = { params, query: undefined, body: undefined };
  if (endpoint.query) {
    const at = request.url.indexOf('?');
    const parsed = endpoint.query.safeParse(
      at < 0 ? {} : Object.fromEntries(new URLSearchParams(request.url.slice(at + 1))),
      { reportInput: true },
    );
    if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
    input.query = parsed.data;
  }
  if (endpoint.body) {
    const parsed = endpoint.body.safeParse(await readJson(request, ceilingOf(endpoint)), { reportInput: true });
    if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
    input.body = parsed.data;
  }
  if (endpoint.upload) input.body = await readUpload(request, endpoint.upload);
  return input;
}

function idempotency(
  deps: ApiDeps,
  endpoint: Endpoint & { name: string },
  request: Request,
  input: object,
): Ctx['idempotency'] {
  const key = endpoint.idempotent ? request.headers.get('idempotency-key') : null;
  if (key === null) return null;
  if (!/^[\x21-\x7e]{8,200}$/.test(key)) throw new DomainError('BAD_REQUEST');
  return { key, hash: deps.hash(`${endpoint.name}\n${JSON.stringify(input)}`) };
}

function answer(
  endpoint: Endpoint,
  output: unknown,
  { ctx, info, request }: { ctx: HandlerCtx; info: CallInfo; request: Request },
): Response {
  if (endpoint.format === 'events') {
    info.keepOpen();
    return eventStream(output as AsyncIterable<ServerEvent>, ctx.signal);
  }
  if (endpoint.format === 'redirect')
    return new Response(null, {
      status: 302,
      headers: { Location: (output as RedirectAnswer).to, 'Cache-Control': 'no-store' },
    });
  if (endpoint.format === 'csv') return csv(output as CsvAnswer);
  if (endpoint.format === 'file') return file(output as FileAnswer, request);
  if (endpoint.format === 'text') return text(output as TextAnswer, request);
  const headers = endpoint.secret ? secretHeaders(info.head) : (info.head ?? JSON_HEADERS);
  if (output instanceof Prepared) return new Response(output.json, { headers });
  const fields = endpoint.response ? checkedFields(endpoint.response, output, ctx.idempotency?.replayed === true) : {};
  return new Response(JSON.stringify({ success: true, error_code: null, ...fields }), { headers });
}

/**
 * The fields of an answer, without any that its schema does not name. A stored answer of an earlier version may lack
 * what today's has: it is given as it was stored, field by field. Throws for a fresh answer that does not fit.
 */
function checkedFields(schema: NonNullable<Endpoint['response']>, output: unknown, replayed: boolean): object {
  const parsed = schema.safeParse(output);
  if (parsed.success) return parsed.data as object;
  if (!replayed || !(schema instanceof ZodMiniObject)) throw parsed.error;
  const stored = new Map(Object.entries(output ?? {}));
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const kept = safeParse(field, stored.get(name));
      return kept.success && kept.data !== undefined ? [[name, kept.data]] : [];
    }),
  );
}

function csv(answer: CsvAnswer): Response {
  return new Response(typeof answer.body === 'string' ? `\uFEFF${answer.body}` : textStream(answer.body, '\uFEFF'), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${answer.filename.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
      'Cache-Control': 'no-store',
    },
  });
}

function text({ type, body, state, keep }: TextAnswer, request: Request): Response {
  const etag = `"${state}"`;
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    ETag: etag,
    'Cache-Control': keep ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  return knows(request, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/**
 * A picture of a user's: it runs nothing, whatever a browser takes it for (attacks T42), and only the asking browser
 * keeps it.
 */
function file({ type, body, state, filename }: FileAnswer, request: Request): Response {
  const etag = `"${state}"`;
  const headers = {
    'Content-Type': type,
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    'Content-Disposition':
      filename === undefined ? 'inline' : `attachment; filename="${filename.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
  };
  return knows(request, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/** Whether the caller has this state already. */
function knows(request: Request, etag: string): boolean {
  // A proxy that compresses marks the tag as weak.
  return (request.headers.get('if-none-match') ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
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
  if (error instanceof DOMException && error.name === 'AbortError')
    return envelope('BAD_REQUEST' satisfies ErrorCode, info.requestId);
  deps.log.error('api.failed', {
    request_id: info.requestId,
    endpoint,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return envelope('SERVER_ERROR', info.requestId);
}

/** The contract the handlers implement; re-exported for composition. */
export { CONTRACT };
