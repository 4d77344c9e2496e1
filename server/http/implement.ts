import { Hono, type Context } from 'hono';
import { ACTING_AS_HEADER } from '#shared/constants.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import { ENDPOINTS, type Contract } from '#shared/contract/index.ts';
import type { Actor, Log, SignedIn } from '#server/modules/kernel.ts';
import { authorize, type AuthorizeDeps } from './authorize.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { errorResponse } from './errors.ts';
import type { CallInfo, HandlerCtx, Handlers } from './implement.types.ts';
import { readIdempotencyKey, readInput, validateParams, type Input } from './input.ts';
import { respond, toErrorResponse, withCookies } from './respond.ts';
import { createRouter } from './router.ts';

export * from './implement.types.ts';

export type AllHandlers = { readonly [G in keyof Contract]: Handlers<Contract[G]> };

export interface ApiDeps extends AuthorizeDeps {
  readonly handlers: AllHandlers;
  readonly hash: (text: string) => string;
  readonly log: Log;
  /** What an error code says in words, for endpoints that say so. */
  readonly words?: (locale: CallInfo['locale'], code: ErrorCode) => string;
  /** Called before each command of a user runs. */
  readonly observe?: (ctx: HandlerCtx, actor: Actor) => Promise<void> | undefined;
  /** Called after each command that a user carried out. */
  readonly onCommand?: (actor: Actor) => void;
  /** Zero trust (behaviour 3.11). `assert` throws where a call may not go on from this browser and network. */
  readonly trust?: {
    isOn(): boolean;
    assert(ctx: SignedIn, call: TrustedCall): Promise<void>;
  };
  /** Aborts when the server stops, which ends open event streams. */
  readonly streams?: AbortSignal;
}

/** The hosting API as a function: server rendering, the HTTP server and the tests call it. */
export interface ApiApp {
  fetch(request: Request, info: CallInfo): Promise<Response>;
}

type NamedEndpoint = (typeof ENDPOINTS)[number];
/** A call before its input is read. */
interface TrustedCall {
  readonly endpoint: NamedEndpoint;
  readonly cookies: Pick<HandlerCtx['cookies'], 'get'>;
}
type AnyHandler = (ctx: HandlerCtx, input: Input) => unknown;

/** A call that has been authorized. */
interface AuthorizedCall {
  readonly endpoint: NamedEndpoint;
  readonly request: Request;
  readonly info: CallInfo;
  readonly actor: Actor | null;
  /** The checked parts of its address. */
  readonly params: unknown;
  /** `Set-Cookie` lines of the answer, whether the call succeeds or fails. */
  readonly setCookies: string[];
}
interface Env {
  Bindings: { info: CallInfo };
  Variables: { endpoint: NamedEndpoint; actor: Actor | null; setCookies: string[] };
}

/**
 * Builds the API from the contract and its handlers. Each call runs, in this order: session, access, feature flag, rate
 * limit, whose page it comes from, trust, validation of parameters, query and body, handler, validation of the
 * response. Every error becomes an error response (errors.ts).
 */
export function createApiApp(deps: ApiDeps): ApiApp {
  const app = new Hono<Env>({ router: createRouter() });
  for (const endpoint of FIXED_FIRST) {
    const handler = getHandler(deps.handlers, endpoint);
    app.on(
      endpoint.method,
      endpoint.path,
      async (c, next) => {
        c.set('endpoint', endpoint);
        c.set('setCookies', []);
        const actor = await authorize(deps, endpoint, c.env.info);
        c.set('actor', actor);
        if (actor) assertActingAs(endpoint, c.req.raw, actor);
        if (actor && deps.trust?.isOn()) await assertTrusted(deps.trust, endpoint, c.req.raw, c.env.info, actor);
        await next();
      },
      ...(endpoint.params ? [validateParams(endpoint.params)] : []),
      async (c) => {
        const call = toCall(c);
        const input = await readInput(endpoint, call.request, call.params);
        const ctx = createContext(deps, call, input);
        const output = await invoke(deps, handler, call, ctx, input);
        return withCookies(respond(endpoint, output, { ...call, ctx }), call.setCookies);
      },
    );
  }
  app.notFound((c) => errorResponse(isDeclared(c.req.path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND', c.env.info.requestId));
  app.onError((error, c) => {
    const { endpoint, setCookies } = c.var;
    const say = endpoint?.worded ? deps.words : undefined;
    const words = say && ((code: ErrorCode) => say(c.env.info.locale, code));
    return withCookies(toErrorResponse(deps.log, error, c.env.info, endpoint, words), setCookies ?? []);
  });
  return { fetch: async (request, info) => app.fetch(request, { info }) };
}

/** The router takes the first match: fixed paths come before the patterns that match them as well. */
const FIXED_FIRST = ENDPOINTS.toSorted((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')));

function getHandler(handlers: AllHandlers, { name }: NamedEndpoint): AnyHandler {
  const [group, key] = name.split('.') as [keyof Contract, string];
  const handler = (handlers[group] as Readonly<Record<string, AnyHandler>>)[key];
  if (!handler) throw new Error(`no handler for ${name}`);
  return handler;
}

const PATHS = [...new Set(ENDPOINTS.map(({ path }) => path))].map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);
/** Whether an endpoint has this path, by whatever method. */
const isDeclared = (path: string): boolean => PATHS.some((pattern) => pattern.test(path));

function toCall(c: Context<Env>): AuthorizedCall {
  const { endpoint, actor, setCookies } = c.var;
  // Set by the endpoint's validator, which the type of the router does not know.
  const params = endpoint.params ? c.req.valid('param' as never) : undefined;
  return { endpoint, request: c.req.raw, info: c.env.info, actor, params, setCookies };
}

/**
 * A command of a page is run as the user whose page it is, or not at all: a form that was filled in while staff viewed
 * as somebody must not run as theirs once that has ended in another tab (attacks T39). What ends things is let
 * through.
 */
function assertActingAs({ method, access, name }: NamedEndpoint, request: Request, actor: Actor): void {
  if (method === 'GET' || access === 'open' || name === 'viewing.end') return;
  const as = request.headers.get(ACTING_AS_HEADER);
  if (as !== null && as !== actor.userId) throw new DomainError('USER_CHANGED');
}

/** Asserts that a call is trusted, by nothing that was sent but cookies. */
function assertTrusted(
  trust: NonNullable<ApiDeps['trust']>,
  endpoint: NamedEndpoint,
  request: Request,
  { requestId, locale, address }: CallInfo,
  actor: Actor,
): Promise<void> {
  const ctx = { actor, requestId, locale, address, userAgent: userAgentOf(request), idempotency: null };
  const cookies = { get: (name: string) => readCookie(request.headers.get('cookie'), name) };
  return trust.assert(ctx, { endpoint, cookies });
}

const userAgentOf = (request: Request): string => (request.headers.get('user-agent') ?? '').slice(0, 400);

/** The context that a handler is called with. */
function createContext(deps: ApiDeps, call: AuthorizedCall, input: Input): HandlerCtx {
  const { endpoint, request, info, actor, setCookies } = call;
  const isStream = endpoint.format === 'events' && deps.streams !== undefined;
  return {
    actor,
    requestId: info.requestId,
    locale: info.locale,
    address: info.address,
    userAgent: userAgentOf(request),
    idempotency: readIdempotencyKey(endpoint, request, input, deps.hash),
    // Made when it is read: few handlers do, and making it costs as much as a log line.
    get signal() {
      return isStream ? AbortSignal.any([request.signal, deps.streams]) : request.signal;
    },
    secret: info.secret,
    readAs: info.readAs,
    header: (name) => request.headers.get(name),
    cookies: {
      get: (name) => readCookie(request.headers.get('cookie'), name),
      set: (name, value, options) => void setCookies.push(writeCookie(name, value, options)),
    },
  };
}

/** Runs the handler of a call; of commands of users `deps.observe` hears before, and `deps.onCommand` after. */
async function invoke(
  deps: ApiDeps,
  handler: AnyHandler,
  { endpoint, actor }: AuthorizedCall,
  ctx: HandlerCtx,
  input: Input,
): Promise<unknown> {
  if (!actor || endpoint.method === 'GET') return handler(ctx, input);
  await deps.observe?.(ctx, actor);
  const output = await handler(ctx, input);
  deps.onCommand?.(actor);
  return output;
}
