import { allows, demandKind, keyOf, type RateLimits, type Throttle } from './access.ts';
import { ALLOCATION_ROUTES, EGG_ROUTES, NEST_ROUTES } from './catalogue.ts';
import { clientRoutes, type UsageCache } from './client.ts';
import { createPresenter, rowOf, type Answer, type Call, type Route } from './context.ts';
import type { Daemons } from './daemon.ts';
import { denied, noRoute, PanelError } from './errors.ts';
import { LOCATION_ROUTES, NODE_ROUTES } from './nodes.ts';
import { includesOf } from './query.ts';
import type { Body, Json } from './rows.ts';
import { cleaned } from './rules.ts';
import { SERVER_ROUTES } from './servers.ts';
import type { PanelState } from './state.ts';
import { USER_ROUTES } from './users.ts';

/** A request as it came in. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
  readonly address: string;
}
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}
interface Compiled {
  readonly route: Route;
  readonly api: keyof RateLimits;
  readonly pattern: RegExp;
}
function compiled(routes: readonly Route[], api: keyof RateLimits): Compiled[] {
  return routes.map((route) => ({
    route,
    api,
    pattern: new RegExp(`^/api/${api}${route.path.replaceAll('{name}', '([^/]+)')}/?$`),
  }));
}

/** Whether errors are to be JSON (1). */
export const wantsJson = (headers: Headers): boolean =>
  /[/+]json/.test(headers.get('accept') ?? '') || headers.get('x-requested-with') === 'XMLHttpRequest';
const page = (title: string) =>
  `<!DOCTYPE html>\n<html>\n    <head>\n        <title>${title}</title>\n    </head>\n    <body>\n        ${title}\n    </body>\n</html>`;

/** An error as it goes out: JSON, or what a browser would get, which is a redirect or a page (1). */
export function errorReply(error: unknown, asked: Asked, headers: Record<string, string> = {}): Reply {
  const known =
    error instanceof PanelError
      ? error
      : new PanelError(
          500,
          'ErrorException',
          'An unexpected error was encountered while processing this request, please try again.',
        );
  const all = { ...headers, ...known.headers };
  if (wantsJson(asked.headers))
    return {
      status: known.status,
      headers: { 'Content-Type': 'application/json', ...all },
      text: JSON.stringify(known.body()),
    };
  const html = { 'Content-Type': 'text/html; charset=utf-8', ...all };
  if (known.status === 401)
    return { status: 302, headers: { ...html, Location: `${asked.url.origin}/auth/login` }, text: page('Redirecting') };
  if (known.status === 400 || known.status === 422)
    return { status: 302, headers: { ...html, Location: asked.url.origin }, text: page('Redirecting') };
  return { status: known.status, headers: html, text: page(String(known.status)) };
}

/** The body as the panel takes it: JSON only, and only where it is said to be that; cleaned (1, 2). */
function bodyOf(asked: Asked): Body {
  if (asked.text === '' || !/[/+]json/.test(asked.headers.get('content-type') ?? '')) return {};
  let parsed: Json;
  try {
    parsed = JSON.parse(asked.text);
  } catch {
    throw new PanelError(
      400,
      'BadRequestHttpException',
      'The JSON data passed in the request appears to be malformed: Syntax error',
    );
  }
  const body = cleaned(parsed);
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
}

export interface RouterDeps {
  readonly state: PanelState;
  readonly daemons: Daemons;
  readonly throttle: Throttle;
  readonly usageCache: UsageCache;
  /** Between the checks of a creation and its writing. */
  readonly yieldToOthers: () => Promise<void>;
}
/** Answers requests as the panel would; throws only what is a mistake of this folder. */
export function createRouter({
  state,
  daemons,
  throttle,
  usageCache,
  yieldToOthers,
}: RouterDeps): (asked: Asked) => Promise<Reply> {
  const catalogue = state.dialect === 'pelican' ? EGG_ROUTES : [...LOCATION_ROUTES, ...NEST_ROUTES];
  const table = [
    ...compiled([...USER_ROUTES, ...NODE_ROUTES, ...ALLOCATION_ROUTES, ...catalogue, ...SERVER_ROUTES], 'application'),
    ...compiled(clientRoutes(usageCache), 'client'),
  ];
  const bound: Readonly<Record<string, ReadonlyMap<number, unknown>>> = {
    users: state.users,
    servers: state.servers,
    nodes: state.nodes,
    locations: state.locations,
    nests: state.nests,
    eggs: state.eggs,
  };

  /** The route of a request. 404 also for encoded slashes, which no route takes (3); 405 says what would be allowed. */
  function find(asked: Asked): { found: Compiled; params: string[] } {
    const { pathname } = asked.url;
    if (/%2f/i.test(pathname)) throw noRoute(pathname);
    const fitting = table.filter((each) => each.pattern.test(pathname));
    const method =
      asked.method === 'PUT' && fitting.some((each) => each.route.method === 'PATCH') ? 'PATCH' : asked.method;
    const found = fitting.find((each) => each.route.method === method);
    if (found) return { found, params: (found.pattern.exec(pathname) ?? []).slice(1).map(decodeURIComponent) };
    if (fitting.length === 0) throw noRoute(pathname);
    const allow = [
      ...new Set(fitting.flatMap((each) => (each.route.method === 'GET' ? ['GET', 'HEAD'] : [each.route.method]))),
    ]
      .toSorted()
      .join(', ');
    const detail = `The ${asked.method} method is not supported for route ${pathname.slice(1)}. Supported methods: ${allow}.`;
    throw new PanelError(405, 'MethodNotAllowedHttpException', detail, { headers: { Allow: allow } });
  }
  /** What the path names has to be there before the key's rights are looked at, and these before the body is (1). */
  function admit({ route, api }: Compiled, params: readonly string[], key: Call['key']): void {
    if (api === 'client') return;
    const [, first = '', second] = route.path.split('/');
    const rows = bound[first];
    if (rows && second === '{name}') rowOf(rows, params[0]);
    if (!allows(key, route.right, route.method === 'GET' ? 1 : 2)) throw denied('This action is unauthorized.');
  }

  return async (asked) => {
    let limits: Record<string, string> = {};
    try {
      const { found, params } = find(asked);
      const body = bodyOf(asked);
      const key = keyOf(state, asked.headers.get('authorization'), asked.address);
      limits = throttle.hit(found.api, key.userId);
      demandKind(state, key, found.api);
      admit(found, params, key);
      const query = asked.url.searchParams;
      const call: Call = {
        state,
        daemons,
        key,
        params,
        query,
        body,
        includes: includesOf(query),
        show: createPresenter(state, (resource) => allows(key, resource, 1)),
        origin: asked.url.origin,
        path: asked.url.pathname,
        yieldToOthers,
      };
      const done: Answer = await found.route.work(call);
      if (done.status === 204) return { status: 204, headers: limits, text: '' };
      return {
        status: done.status,
        headers: { 'Content-Type': 'application/json', ...limits },
        text: JSON.stringify(done.body),
      };
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      return errorReply(error, asked, limits);
    }
  };
}
