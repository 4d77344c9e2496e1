import { startTransition, useEffect, type ReactNode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, matchRoutes, RouterContextProvider, type DataRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { App, type AppStores } from '#client/app/app.tsx';
import { createResponseCache, type ResponseCache } from '#client/app/response-cache.ts';
import { createBrowserApi, prefetchCalls } from '#client/app/api.ts';
import { createAppStores } from '#client/app/app-stores.ts';
import type { Boot } from '#client/app/boot.ts';
import { toRouteErrors } from '#client/app/error-page.tsx';
import { loadChunk } from '#client/app/chunk.ts';
import { createChunkMap, type ChunkMap } from '#client/app/chunk-map.ts';
import type { Connection } from '#client/app/connection.ts';
import { reviveLoaderData } from '#client/app/deferred-values.ts';
import { startDebug } from '#client/app/debug/toggle.ts';
import { createGuard } from '#client/app/guards.ts';
import { createLivePage } from '#client/app/live-page.ts';
import { createLiveSource } from '#client/app/live-source.ts';
import { startOptimisation } from '#client/app/optimise.ts';
import { withPageTransitions } from '#client/app/page-transition.ts';
import { PLAYER_PAGES } from '#client/app/screens.ts';
import { createBrowserSession, showAccessDenied } from '#client/app/session-browser.ts';
import type { SessionStore } from '#client/app/session-store.ts';
import { startInBrowser, type RunningApp } from '#client/app/startup-browser.ts';
import { createBrowserRoutes, type BrowserRoutes } from '#client/app/staff-pages.ts';
import { createTextStore, type TextStore } from '#client/app/texts.ts';
import { createPageUser, withActingAs } from '#client/app/acting-as.ts';
import { restoreAfterConfirmation, withConfirmation } from '#client/app/confirmation.ts';
import { apiContext } from '#client/lib/api-context.ts';
import { reportingFetch, recordedFetch } from '#client/lib/fetch.ts';
import { journal } from '#client/lib/journal.ts';
import { LiveContext, type LivePage, type LiveSource } from '#client/lib/live.ts';
import type { PluginParts } from '#client/lib/plugins.ts';
import { pagePerformance } from '#client/lib/page-performance.ts';
import { isServerReachable } from '#client/lib/reconnect.ts';
import { adoptTarget } from '#client/lib/redirect-target.ts';
import { createStore, type Store } from '#client/lib/store.ts';
import { holdScripted } from '#client/lib/use-hydrated.ts';
import { recordPageEvents } from '#client/lib/watch.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import type { Api } from '#shared/contract/index.ts';
import { isStaff } from '#shared/can.ts';
import { PLAYER_ROUTES } from '#shared/routes/players.ts';

/** Runs `run` when the browser has nothing else to do; where it cannot tell (Safari), shortly after. */
function runAtLeisure(run: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run);
  else setTimeout(run, 500);
}

/** Runs `run` once the page is hydrated and the browser has nothing else to do. */
type WhenIdle = (run: () => void) => void;

/** The parts of the page that outlive every screen. */
interface Parts {
  readonly boot: Boot;
  readonly stores: AppStores;
  readonly texts: TextStore;
  readonly session: SessionStore;
  readonly answers: ResponseCache;
  readonly chunks: ChunkMap;
  readonly lost: Store<ReactNode>;
  readonly router: DataRouter;
  readonly routes: BrowserRoutes;
  readonly live: LiveSource;
  readonly whenIdle: WhenIdle;
}

/** Everything the page consists of: stores, routes, router, and the screens that are to be seen. */
async function createApp(boot: Boot): Promise<RunningApp> {
  /** Watches the connection once the page is idle. */
  let connection: Connection | null = null;
  /** Hands the page to another visitor: earlier requests are dropped, and the guard decides again. */
  let changeVisitor = () => {};
  const lost = createStore<ReactNode>(null);
  const plugins = boot.plugins.length > 0 ? createStore<readonly PluginParts[]>([]) : null;
  const network = reportingFetch(recordedFetch, () => connection);
  const answers = createResponseCache(network, () => pagePerformance().caching);
  // Before the router listens for the same: its loaders ask at once.
  addEventListener('popstate', answers.replay);
  // Known once there is a session, which needs the API.
  let pageUser = (): string | null => null;
  const send = withActingAs(
    withConfirmation(answers.fetch, () => pageUser()),
    () => pageUser(),
    () => location.reload(),
  );
  const { api, isOutdated } = createBrowserApi(boot.build, send);
  const texts = createTextStore(boot.locale, boot.build);
  // On their way since the head of the page was read.
  const opened = texts.open(boot.textFiles);
  opened.catch(() => undefined);
  const t = (key: string) => texts.translator().loose('errors')(key);
  const session = createBrowserSession(boot, api, t, () => changeVisitor());
  pageUser = createPageUser(session);
  const stores = createAppStores({ boot, api, texts, session, plugins, lost });
  startDebug({ boot, stores, texts });

  const hydrated = Promise.withResolvers<void>();
  // What is fetched ahead waits until the page is hydrated.
  const whenIdle: WhenIdle = (run) => void hydrated.promise.then(() => runAtLeisure(run));
  const chunks = createChunkMap(boot.build);
  const guard = createGuard({
    session,
    flags: { ...boot.settings, ...boot.flags },
    showAccessDenied: () => showAccessDenied(t),
  });
  const routes = createBrowserRoutes({
    loadTexts: texts.loadOf,
    chunk: (load) => loadChunk(load, () => isServerReachable(network)),
    guard: async (row, request) => {
      if (isOutdated() && request.method === 'GET') {
        location.assign(request.url);
        return new Promise<void>(() => undefined);
      }
      return guard.authorizeRoute(row, request);
    },
    refused: guard.handleRefusal,
    afterAction: () => session.forceRefresh(),
    preload: chunks.preload,
    whenIdle,
  });
  const router = await createRouter(boot, routes, api);
  await opened;
  const live = createLiveSource(
    () => session.get() !== null,
    () => connection?.reportFailure(),
  );
  // Answers kept for a quick return are dropped before the page is read again.
  live.subscribe(() => answers.clear());
  const parts: Parts = { boot, stores, texts, session, answers, chunks, lost, router, routes, live, whenIdle };
  const livePage = createLivePage(router, live);
  return {
    texts,
    plugins,
    mount: (onFatalError) => {
      const onHydrated = () => {
        hydrated.resolve();
        whenIdle(() => void restoreAfterConfirmation(pageUser()));
        changeVisitor = () => {
          answers.clear();
          void router.revalidate();
        };
        // Loaded while it still can be, with the page that explains.
        whenIdle(
          () =>
            void watchLost(parts)
              .then((watched) => (connection = watched))
              .catch(() => undefined),
        );
        startServices(parts);
        if (boot.denied) void showAccessDenied(t);
      };
      hydrate(parts, livePage, { onHydrated, onFatalError });
    },
  };
}

/** The router with the data that came with the page, its matched screens loaded, so that no fallback flashes. */
async function createRouter({ renderedPath, hydration }: Boot, pages: BrowserRoutes, api: Api): Promise<DataRouter> {
  // A refused page was rendered in the place of the one asked for: the address follows, so that both sides agree.
  if (renderedPath !== null) history.replaceState(null, '', renderedPath);
  const routes = await pages.initial(location.pathname);
  const matched = matchRoutes(routes, location) ?? [];
  await Promise.all(
    matched.map(async ({ route }) => {
      if (typeof route.lazy !== 'function') return;
      Object.assign(route, await route.lazy());
      delete route.lazy;
    }),
  );
  return createBrowserRouter(routes, {
    patchRoutesOnNavigation: pages.onNavigation,
    hydrationData: {
      loaderData: reviveLoaderData(hydration.loaderData),
      actionData: hydration.actionData,
      errors: hydration.errors ? toRouteErrors(hydration.errors) : null,
    },
    getContext: () => new RouterContextProvider(new Map([[apiContext, api]])),
  });
}

/** Calls `run` once, when what it stands beside is hydrated. */
function AfterHydration({ run }: { readonly run: () => void }): null {
  useEffect(run, [run]);
  return null;
}

/**
 * Hydrates what the server rendered, in slices of a few milliseconds, so that a long list does not hold up a phone: a
 * transition is what React slices. What is clicked meanwhile is hydrated at once. In: also what is called when all is
 * hydrated, before which the router has nobody to tell of a navigation, and when React cannot go on.
 */
function hydrate(
  { boot, stores, texts, router }: Parts,
  livePage: LivePage,
  { onHydrated, onFatalError }: { onHydrated: () => void; onFatalError: (error: unknown) => void },
): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('no root element');
  // `useId` counts the places above: on the server the application is in the second child of <html>, and there the
  // first of three (server/ssr/render.tsx).
  const app = (
    <App key="app" boot={boot} stores={stores}>
      <LiveContext value={livePage}>
        <TextLoaderContext value={texts.load}>
          <RouterProvider router={withPageTransitions(router)} />
        </TextLoaderContext>
      </LiveContext>
    </App>
  );
  const showScripted = holdScripted();
  const afterHydration = () => {
    showScripted();
    onHydrated();
  };
  const whole = [null, [app, <AfterHydration key="after" run={afterHydration} />, null]];
  // Nothing of the page is left after an error that nobody caught, before the first picture as well as later.
  const onUncaughtError = (error: unknown) => {
    reportError(error);
    onFatalError(error);
  };
  startTransition(() => {
    // A transition reports what is thrown in it, and goes on.
    try {
      hydrateRoot(root, whole, { onUncaughtError });
    } catch (error) {
      onFatalError(error);
    }
  });
}

/** Watches the connection of who is signed in. Out: null for a guest. Rejects where its code cannot be loaded. */
async function watchLost({ session, router, texts, lost }: Parts): Promise<Connection | null> {
  if (!session.get()) return null;
  const { watchConnection } = await import('#client/app/connection-watch.tsx');
  const connection = watchConnection({
    note: lost,
    currentPath: () => router.state.location.pathname + router.state.location.search,
    navigate: (path) => void (session.get() && router.navigate(path)),
    // Retries what failed while the server was unreachable.
    onBack: () => void (router.state.errors && router.revalidate()),
  });
  void Promise.all([texts.loadOf(PLAYER_ROUTES.ws.layout), PLAYER_PAGES.screens.ws?.()]).catch(() => undefined);
  return connection;
}

/** Starts what runs beside the hydrated page: session polling, live events, prefetching, the visitor's look. */
function startServices({ session, router, routes, live, answers, texts, chunks, whenIdle }: Parts): void {
  session.start();
  const target = adoptTarget();
  if (target !== null) void router.navigate(target, { replace: true });
  live.subscribe((topic) => {
    if (topic === 'balance' || topic === 'session' || topic === 'notifications') session.refreshWhenVisible();
  });
  startOptimisation({
    router,
    answers,
    prefetch: ({ id, row }) => {
      void texts.loadOf(row.layout);
      chunks.preload(id);
      routes
        .screenOf(id)?.()
        .catch(() => undefined);
    },
  });
  whenIdle(() => void chunks.load());
  whenIdle(prefetchCalls);
  if (isStaff(session.permissions())) whenIdle(() => void routes.prefetchStaff().catch(() => undefined));
  // The document came with the visitor's settings; from now on it follows local storage.
  whenIdle(
    () =>
      void import('#client/lib/ui-settings-store.ts').then(
        ({ uiSettings }) => uiSettings.start(),
        () => undefined,
      ),
  );
}

recordPageEvents(window, journal);
const { __boot: boot } = window;
if (boot) void startInBrowser(boot, () => createApp(boot));
