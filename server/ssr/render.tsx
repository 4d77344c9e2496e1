import { isbot } from 'isbot';
import type { ReactNode } from 'react';
import { renderToReadableStream } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  RouterContextProvider,
  StaticRouterProvider,
  type RouteObject,
  type StaticHandler,
  type StaticHandlerContext,
} from 'react-router';
import { App, type AppStores } from '#client/app/app.tsx';
import { timeZoneOf, type Boot, type SessionAnswer } from '#client/app/boot.ts';
import { toPageError, toRouteErrors } from '#client/app/error-page.tsx';
import type { PageHandle } from '#client/app/screens.ts';
import type { PageCard } from '#client/lib/page-card.ts';
import { toActingAs } from '#client/app/acting-as.ts';
import { confirmationPath, watchConfirmation } from '#client/app/confirmation.ts';
import { buildRoutes } from '#client/app/router.tsx';
import { PLAYER_PAGES } from '#client/app/screens.ts';
import { STAFF_PAGES } from '#client/app/staff-routes.ts';
import { apiContext } from '#client/lib/api-context.ts';
import { DeferredWriterContext } from '#client/lib/deferred.tsx';
import { learnStaffRoutes } from '#client/lib/known-routes.ts';
import { SIDEBAR_COOKIE } from '#client/lib/sidebar.ts';
import { ApiError, type Fetcher } from '#shared/contract/client.ts';
import { createApi, type Api } from '#shared/contract/index.ts';
import {
  ACTING_AS_FIELD,
  MARKER_COOKIE,
  PRESENCE_COOKIES,
  SECOND_FACTOR_PATH,
  SESSION_COOKIE,
} from '#shared/constants.ts';
import { decideAccess, secondFactorDetour, type Decision } from '#shared/guard.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { TEXT_FILES_OF_LAYOUT, textFileUrl } from '#shared/i18n/text-files.ts';
import { href } from '#shared/routes/href.ts';
import { createMatcher, type Match } from '#shared/routes/match.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { UI_STYLE_ID } from '#shared/ui-settings.ts';
import { readCookie } from '#server/http/cookies.ts';
import type { PageCall } from '#server/http/app.ts';
import type { RequestLog } from '#server/http/log.ts';
import { newNonce, NO_TRANSFORM, pageHeaders } from '#server/http/security.ts';
import type { ApiTransport } from '#server/http/transport.ts';
import { CustomHead, customOf } from './custom.tsx';
import { LookStyle, SiteHead } from './look.tsx';
import { deferredWriter, dehydrate, scriptJson } from './deferred.ts';
import { documentUi, themeOf } from './document-ui.ts';
import { preloadsOf, type Manifest } from './manifest.ts';
import { forgetTarget, redirectTo, toLogin, toTarget, withCookies } from './redirects.ts';
import { savedLocaleScript } from './saved-locale.ts';
import type { ServerTexts } from './texts.ts';

/** Marks where the page is complete but for what streams in later. */
const PAGE_END = 'sp-end';

interface RenderDeps {
  readonly transport: ApiTransport;
  readonly texts: ServerTexts;
  readonly manifest: Manifest;
  readonly newKey: () => string;
  readonly now: () => number;
  readonly log: RequestLog;
  /** Started with `--safe`: pages go without the host's own code. */
  readonly safe?: boolean;
}

type Settings = Awaited<ReturnType<Api['system']['settings']>>;
interface Visit {
  readonly call: PageCall;
  readonly api: Api;
  readonly cookies: string[];
  session: SessionAnswer | null;
  /** Something shown once is on the page, or its address opens a door. */
  readonly secret: boolean;
  /** The session waits for its second factor. */
  waiting: boolean;
  readonly system: Settings;
}

/** Words in the query of an address that opens a door: links of letters, and of the first owner. */
const SECRET_WORDS = ['token', 'setup'];

const matchRoute = createMatcher(ROUTE_LIST);

/**
 * Renders a page: guard, loaders (through the typed client), document, stream. Status, locale and theme are right on
 * the first byte; deferred data follows in the stream; a visitor who leaves aborts it.
 */
export function createPageRenderer(deps: RenderDeps): (call: PageCall) => Promise<Response> {
  learnStaffRoutes(STAFF_PAGES.routes);
  const routes = buildRoutes(
    {
      loadTexts: async () => undefined,
      guard: async () => undefined,
      afterAction: async () => undefined,
      chunk: (load) => load(),
    },
    [PLAYER_PAGES, STAFF_PAGES],
  );
  const handlers = new Map<string, StaticHandler>();
  /** The handler of one route: matching it against all the others again would take longer than running it. */
  const handlerOf = (id: string): StaticHandler => {
    const handler = handlers.get(id) ?? createStaticHandler(pruned(routes, new Set([id, 'notFound'])));
    handlers.set(id, handler);
    return handler;
  };

  return async (call) => {
    const { url, request } = call;
    if (url.pathname === '/')
      return redirectTo(href('dashboard') + (url.searchParams.get('safe') === '1' ? '?safe=1' : ''), []);
    const cookies: string[] = [];
    let secret = SECRET_WORDS.some((word) => url.searchParams.has(word));
    let confirms = false;
    const fetch = fetcherOf(deps, call, cookies, await readActingAs(request), () => (secret = true));
    const api = createApi(
      watchConfirmation(fetch, () => (confirms = true)),
      deps.newKey,
    );
    const [found, system] = await Promise.all([isPresent(call) ? sessionOf(api) : null, api.system.settings()]);
    const waiting = found === 'waiting';
    const session = waiting ? null : found;
    const visit: Visit = {
      call,
      api,
      cookies,
      session,
      waiting,
      system,
      get secret() {
        return secret;
      },
    };
    const match = matchRoute(url.pathname);
    const way =
      match && secondFactorDetour({ id: match.id, guard: match.row.guard }, waiting, session?.user_info.second_factor);
    // Without scripts the page of the log-out would take them for a guest; the verification has its button.
    if (waiting && match?.id === 'auth.logout' && request.method === 'GET')
      return redirectTo(SECOND_FACTOR_PATH, cookies);
    if (way) return toLogin(visit, way === 'factor' ? SECOND_FACTOR_PATH : href('auth.factorSetup'));
    const decision: Decision = match
      ? decideAccess(
          { guard: match.row.guard, ...(match.row.flag ? { flag: match.row.flag } : {}) },
          { signedIn: session !== null, permissions: session?.permissions ?? [] },
          { ...system.settings, ...system.flags },
        )
      : 'allow';
    if (decision === 'login') return toLogin(visit);
    if (decision === 'home') return toTarget(visit);
    const denied = decision === 'forbidden';
    const shown: Match | null = denied ? matchRoute(href('errors.403')) : decision === 'hidden' ? null : match;
    const renderedPath = denied ? href('errors.403') : null;
    const asked = denied
      ? new Request(new URL(href('errors.403'), url))
      : decision === 'hidden'
        ? new Request(new URL('/not-found', url))
        : request;

    const context = await handlerOf(shown?.id ?? 'notFound').query(asked, {
      requestContext: new RouterContextProvider(new Map([[apiContext, api]])),
    });
    if (confirms) return redirectTo(confirmationPath(url.pathname + url.search), cookies);
    if (context instanceof Response) {
      // A log-in goes to the wanted page, which is forgotten; before a second factor it is still to come.
      const there = match?.row.guard === 'guest-only' && context.headers.get('location') !== SECOND_FACTOR_PATH;
      return withCookies(context, there ? [...cookies, ...forgetTarget(call)] : cookies);
    }
    if (request.method === 'POST' && isPresent(call)) {
      const now = await sessionOf(api);
      visit.waiting = now === 'waiting';
      visit.session = now === 'waiting' ? null : now;
    }
    const status = statusOf(context, decision, shown);
    return stream(deps, visit, {
      context,
      match: shown,
      status,
      denied,
      renderedPath: decision === 'hidden' ? '/not-found' : renderedPath,
    });
  };
}

/** The route table without the routes that are neither wanted nor lead to one that is. */
function pruned(routes: readonly RouteObject[], wanted: ReadonlySet<string>): RouteObject[] {
  return routes.flatMap((route) => {
    if (!route.children) return wanted.has(route.id ?? '') ? [route] : [];
    const children = pruned(route.children, wanted);
    return children.length > 0 ? [{ ...route, children } as RouteObject] : [];
  });
}

function statusOf(context: StaticHandlerContext, decision: Decision, shown: Match | null): number {
  if (decision === 'forbidden' || shown?.id === 'errors.403') return 403;
  if (shown?.id === 'errors.500') return 500;
  return shown === null ? 404 : context.statusCode;
}

/** Whose page a form was on that was sent without scripts; null where it does not say. */
async function readActingAs(request: Request): Promise<string | null> {
  if (request.method !== 'POST' || !/form/.test(request.headers.get('content-type') ?? '')) return null;
  const as = (await request.clone().formData()).get(ACTING_AS_FIELD);
  return typeof as === 'string' ? as : null;
}

/** In: also whose page a form was on, and what is called when an answer holds something that is shown once. */
function fetcherOf(
  deps: RenderDeps,
  call: PageCall,
  cookies: string[],
  actingAs: string | null,
  onSecret: () => void,
): Fetcher {
  const { request, info } = call;
  // An action that opened, renewed or ended a session answered with its cookie; what is read for the page after it
  // belongs to that one.
  let { secret } = info;
  const send = deps.transport.fetcher(
    {
      requestId: info.requestId,
      address: info.address,
      locale: info.locale,
      get secret() {
        return secret;
      },
      cookie: call.cookie,
      userAgent: request.headers.get('user-agent') ?? '',
      signal: request.signal,
      readAs: info.readAs,
      arrival: info.arrival,
      page: true,
    },
    (line) => {
      cookies.push(line);
      if (line.startsWith(`${SESSION_COOKIE}=`)) secret = readCookie(line, SESSION_COOKIE) || null;
    },
  );
  return async (path, init) => {
    const answer = await send(path, actingAs === null ? init : toActingAs(init, actingAs));
    if (answer.headers.get('cache-control')?.includes(NO_TRANSFORM)) onSecret();
    return answer;
  };
}

/**
 * The visitor's session; null for guests and for sessions that have failed, `waiting` before the second factor. A
 * server that cannot answer is an error of the page.
 */
async function sessionOf(api: Api): Promise<SessionAnswer | 'waiting' | null> {
  try {
    return await api.session.get();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'TW0_FA_BLOCKED') return 'waiting';
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

/**
 * Whether the browser counts as logged in. The session logic of the page clears the marker when a session has failed
 * there (specification, section 4): then the visitor is a guest on both sides until the next login, although the
 * secret, which scripts cannot reach, may still be good.
 */
function isPresent({ cookie }: PageCall): boolean {
  return PRESENCE_COOKIES.some((name) => readCookie(cookie, name));
}

/** What the installation says of itself where its host says nothing. */
function descriptionOf({ texts }: RenderDeps, { call, system }: Visit): string {
  const app = String(system.settings.app_name ?? '');
  return texts.translator(call.info.locale).t('system')('description', { app });
}

/** The card that the shown page has of its own. */
function cardOf({ matches, loaderData }: StaticHandlerContext): PageCard | null {
  const { id = '', handle } = matches.at(-1)?.route ?? {};
  const data = loaderData[id];
  return data ? ((handle as Partial<PageHandle> | undefined)?.pageCard?.(data as never) ?? null) : null;
}

interface Page {
  readonly context: StaticHandlerContext;
  readonly match: Match | null;
  readonly status: number;
  readonly denied: boolean;
  readonly renderedPath: string | null;
}

/**
 * What the page's application is made of, fetched while the page is still read: its texts and its scripts. Low, because
 * nothing is painted with them: they would take the line from the stylesheet.
 */
function Preloads({ deps, boot, match }: { deps: RenderDeps; boot: Boot; match: Match | null }): ReactNode {
  return (
    <>
      {boot.textFiles.map((file) => (
        <link
          key={file}
          rel="preload"
          as="fetch"
          fetchPriority="low"
          crossOrigin="anonymous"
          href={textFileUrl(boot.locale, file, boot.build)}
        />
      ))}
      {preloadsOf(deps.manifest, match?.id ?? null, match?.row.layout ?? 'plain').map((path) => (
        <link key={path} rel="modulepreload" fetchPriority="low" href={path} />
      ))}
    </>
  );
}

async function stream(deps: RenderDeps, visit: Visit, page: Page): Promise<Response> {
  const { call, session } = visit;
  const { info } = call;
  const nonce = newNonce();
  const { custom, safe } = customOf(visit.system.custom, { server: deps.safe ?? false, url: call.url, session });
  const boot: Boot = { ...bootOf(deps, visit, page), ads: custom.ads, plugins: custom.plugins, safe };
  // The browser gets what is known of an error, with the request's id, and nothing else: the page is made of the same.
  const context = boot.hydration.errors
    ? { ...page.context, errors: toRouteErrors(boot.hydration.errors) }
    : page.context;
  const router = createStaticRouter(branchOf(context), context);
  const theme = boot.theme;
  const ui = documentUi(call.cookie);
  const stores: AppStores = {
    api: null,
    subscribe: () => () => undefined,
    session: () => session,
    translator: () => deps.texts.translator(info.locale),
    theme: () => theme,
    setTheme: () => undefined,
    setLocale: () => undefined,
  };
  // Asked for its headers alone: what is given up then has not failed.
  const unread = call.request.method === 'HEAD';
  const isWholeAtOnce = isbot(call.request.headers.get('user-agent'));
  const body = await renderToReadableStream(
    <html lang={LOCALE_INFO[info.locale].lang} data-theme={theme} {...ui.attributes}>
      <head>
        <meta charSet="utf-8" />
        {/* Not of an answer to a form, which would be sent a second time. */}
        {call.request.method === 'GET' && (
          <script nonce={nonce} dangerouslySetInnerHTML={{ __html: savedLocaleScript(info.locale) }} />
        )}
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content={theme} />
        <SiteHead system={visit.system} card={cardOf(context)} description={descriptionOf(deps, visit)} />
        {/* Nothing is painted of a page that is half read: its parts would move while the rest comes in. */}
        <link rel="expect" href={`#${PAGE_END}`} blocking="render" />
        <link rel="preload" as="style" href={deps.manifest.css} />
        <link rel="stylesheet" href={deps.manifest.css} />
        <LookStyle look={visit.system.look} nonce={nonce} />
        {ui.style && (
          <style id={UI_STYLE_ID} nonce={nonce}>
            {ui.style}
          </style>
        )}
        <CustomHead custom={custom} nonce={nonce} />
        <Preloads deps={deps} boot={boot} match={page.match} />
      </head>
      {/* How many children there are up to the application, and which of them it is, client/entry.tsx repeats. */}
      <body>
        <div id="root">
          <DeferredWriterContext value={deferredWriter(nonce)}>
            <App boot={boot} stores={stores}>
              <StaticRouterProvider router={router} context={context} hydrate={false} />
            </App>
          </DeferredWriterContext>
        </div>
        <span id={PAGE_END} hidden />
        {/* Not as bootstrapScriptContent: in that React would look for the end of a script, which this JSON cannot hold. */}
        <script nonce={nonce} dangerouslySetInnerHTML={{ __html: `self.__boot=${scriptJson(boot)}` }} />
      </body>
    </html>,
    {
      nonce,
      signal: call.request.signal,
      bootstrapModules: [deps.manifest.entry],
      // Parts of a large page would follow behind it although they are there: a search engine gets them in their place.
      ...(isWholeAtOnce && { progressiveChunkSize: Number.MAX_SAFE_INTEGER }),
      onError: (error) => {
        if (unread || call.request.signal.aborted) return;
        deps.log.error('ssr.failed', {
          request_id: info.requestId,
          path: call.url.pathname,
          error: error instanceof Error ? error.stack : String(error),
        });
      },
    },
  );
  if (isWholeAtOnce) await body.allReady;
  const headers = new Headers({
    ...pageHeaders(nonce, custom.ads, visit.system.frames),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': visit.secret ? `no-store, ${NO_TRANSFORM}` : 'no-store',
    Vary: 'Cookie, Accept-Language',
  });
  for (const line of visit.cookies) headers.append('Set-Cookie', line);
  if (unread) await body.cancel();
  return new Response(unread ? null : body, { status: page.status, headers });
}

function bootOf(deps: RenderDeps, visit: Visit, page: Page): Omit<Boot, 'ads' | 'plugins' | 'safe'> {
  const { call, session, system } = visit;
  const { context, match } = page;
  return {
    build: deps.manifest.build,
    locale: call.info.locale,
    theme: themeOf(call.cookie, system.look.theme),
    collapsed: readCookie(call.cookie, SIDEBAR_COOKIE) === '1',
    timeZone: timeZoneOf(session, system.settings),
    now: new Date(deps.now()).toISOString(),
    requestId: call.info.requestId,
    session,
    refusedMarker: session || visit.waiting ? null : readCookie(call.cookie, MARKER_COOKIE) || null,
    settings: system.settings,
    flags: system.flags,
    debug: system.debug,
    textFiles: TEXT_FILES_OF_LAYOUT[match?.row.layout ?? 'plain'],
    startTexts: deps.texts.startTexts(call.info.locale),
    renderedPath: page.renderedPath,
    denied: page.denied,
    local: call.local,
    formKey: deps.newKey(),
    hydration: {
      loaderData: dehydrate(context.loaderData),
      actionData: context.actionData,
      errors: context.errors
        ? Object.fromEntries(Object.entries(context.errors).map(([id, error]) => [id, reported(deps, call, error)]))
        : null,
    },
  };
}

/** The routes that matched, as a tree of one branch: the whole table need not be converted anew for every page. */
function branchOf({ matches }: StaticHandlerContext): RouteObject[] {
  return matches.reduceRight<RouteObject[]>((children, { route }) => [{ ...route, children } as RouteObject], []);
}

function reported(deps: RenderDeps, call: PageCall, error: unknown) {
  const known = toPageError(error);
  if (known.status >= 500 && !call.request.signal.aborted)
    deps.log.error('page.failed', {
      request_id: call.info.requestId,
      path: call.url.pathname,
      error: error instanceof Error ? error.stack : known.code,
    });
  return { ...known, requestId: known.requestId ?? call.info.requestId };
}
