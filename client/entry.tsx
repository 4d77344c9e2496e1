import type { ReactNode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, matchRoutes, RouterContextProvider } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { App, type AppStores } from '#client/app/app.tsx';
import { createAnswerCache } from '#client/app/answer-cache.ts';
import { createBrowserApi } from '#client/app/api.ts';
import type { Boot } from '#client/app/boot.ts';
import { routeErrors } from '#client/app/error-page.tsx';
import { loadChunk } from '#client/app/chunk.ts';
import { createChunkMap } from '#client/app/chunk-map.ts';
import type { Connection } from '#client/app/connection.ts';
import { startDebug } from '#client/app/debug/toggle.ts';
import { createGuard } from '#client/app/guards.ts';
import { createLivePage } from '#client/app/live-page.ts';
import { createLiveSource } from '#client/app/live-source.ts';
import { startOptimisation } from '#client/app/optimise.ts';
import { withPageTransitions } from '#client/app/page-transition.ts';
import { buildRoutes } from '#client/app/router.tsx';
import { SCREENS } from '#client/app/screens.ts';
import { createBrowserSession, sayDenied } from '#client/app/session-browser.ts';
import { startInBrowser, type RunningApp } from '#client/app/startup-browser.ts';
import { createTextStore } from '#client/app/texts.ts';
import { apiContext } from '#client/lib/api-context.ts';
import { nameDeferred } from '#client/lib/deferred.tsx';
import { noticingFetch, recordedFetch } from '#client/lib/fetch.ts';
import { journal } from '#client/lib/journal.ts';
import { LiveContext } from '#client/lib/live.ts';
import type { PluginParts } from '#client/lib/plugins.ts';
import { pagePerformance } from '#client/lib/page-performance.ts';
import { serverAnswers } from '#client/lib/reconnect.ts';
import { adoptTarget } from '#client/lib/redirect-target.ts';
import { storage } from '#client/lib/storage.ts';
import { createStore } from '#client/lib/store.ts';
import { watchPage } from '#client/lib/watch.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { LOCALE_COOKIE, STORAGE, THEME_COOKIE } from '#shared/constants.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import { ROUTES, type RouteId } from '#shared/routes/table.ts';

const YEAR_S = 365 * 24 * 3600;

/** Deferred values of the stream: those that have arrived, and those still on their way. */
function deferredValues(): (id: string) => Promise<unknown> {
  const waiting = new Map<
    string,
    { promise: Promise<unknown>; resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  const entry = (id: string) => {
    let found = waiting.get(id);
    if (!found) {
      found = Promise.withResolvers<unknown>();
      found.promise.catch(() => undefined);
      waiting.set(id, found);
    }
    return found;
  };
  const arrive = ([id, fulfilled, value]: [string, 0 | 1, unknown]) => {
    if (fulfilled) entry(id).resolve(value);
    else entry(id).reject(new Error('deferred'));
  };
  const early = window.__dq;
  if (Array.isArray(early)) early.forEach(arrive);
  window.__dq = { push: arrive };
  return (id) => {
    const { promise } = entry(id);
    nameDeferred(promise, id);
    return promise;
  };
}

function revive(data: unknown, deferred: (id: string) => Promise<unknown>): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'object' && value !== null && '$d' in value && typeof value.$d === 'string'
        ? deferred(value.$d)
        : value,
    ]),
  );
}

/** Runs `run` when the browser has nothing else to do; where it cannot tell (Safari), shortly after. */
function atLeisure(run: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run);
  else setTimeout(run, 500);
}

/** Everything the page consists of: stores, routes, router, and the screens that are to be seen. */
async function createApp(boot: Boot): Promise<RunningApp> {
  /** Watches the connection once the page is idle. */
  let connection: Connection | null = null;
  const lost = createStore<ReactNode>(null);
  const plugins = boot.plugins.length > 0 ? createStore<readonly PluginParts[]>([]) : null;
  const network = noticingFetch(recordedFetch, () => connection);
  const answers = createAnswerCache(network, () => pagePerformance().caching);
  // Before the router listens for the same: its loaders ask at once.
  addEventListener('popstate', answers.replay);
  const { api, isOutdated } = createBrowserApi(boot.build, answers.fetch);
  const texts = createTextStore(boot.locale, boot.texts, boot.build);
  let theme = boot.theme;
  const themeListeners = new Set<() => void>();
  const mirror = (name: string, value: string) =>
    (document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`);
  const t = (key: string) => texts.translator().loose('errors')(key);

  /** Gives the page to another visitor: nothing that was asked for before counts, and the guard looks again. */
  let changeVisitor = () => {};
  const session = createBrowserSession(boot, api, t, () => changeVisitor());

  const stores: AppStores = {
    api,
    plugins,
    lost,
    subscribe: (listener) => {
      const stops = [session.subscribe(listener), texts.subscribe(listener)];
      themeListeners.add(listener);
      return () => {
        stops.forEach((stop) => stop());
        themeListeners.delete(listener);
      };
    },
    session: session.get,
    translator: texts.translator,
    theme: () => theme,
    setTheme: (next) => {
      theme = next;
      document.documentElement.dataset.theme = next;
      storage.setItem(STORAGE.theme, next);
      mirror(THEME_COOKIE, next);
      themeListeners.forEach((listener) => listener());
    },
    setLocale: (next) => {
      const locale = toLocale(next);
      storage.setItem(STORAGE.locale, locale.toUpperCase());
      mirror(LOCALE_COOKIE, locale);
      void texts.change(locale).then(() => (document.documentElement.lang = texts.translator().locale));
      if (session.get()) void saveLocale(locale);
    },
  };
  startDebug({ boot, stores, texts });
  const saveLocale = async (locale: ReturnType<typeof toLocale>) => {
    const { first_name, last_name } = await api.account.get();
    await api.account.update({ body: { first_name, last_name, locale } });
  };

  const guard = createGuard({ session, flags: { ...boot.settings, ...boot.flags }, sayDenied: () => sayDenied(t) });
  // What is fetched ahead waits until the page is hydrated.
  const shown = Promise.withResolvers<void>();
  const whenIdle = (run: () => void) => void shown.promise.then(() => atLeisure(run));
  const chunks = createChunkMap(boot.build);
  const routes = buildRoutes({
    loadTexts: (namespaces) => texts.load(namespaces),
    chunk: (load) => loadChunk(load, () => serverAnswers(network)),
    guard: async (row, request) => {
      if (isOutdated() && request.method === 'GET') {
        location.assign(request.url);
        return new Promise<void>(() => undefined);
      }
      return guard.enter(row, request);
    },
    refused: guard.refused,
    afterAction: () => session.renew(),
    fetchAhead: chunks.fetchAhead,
    whenIdle,
  });

  // A refused page was rendered in the place of the one asked for: the address follows, so that both sides agree.
  if (boot.renderedPath !== null) history.replaceState(null, '', boot.renderedPath);

  // The matched screens are loaded before hydration, so that no fallback flashes.
  const matched = matchRoutes(routes, location) ?? [];
  await Promise.all(
    matched.map(async ({ route }) => {
      if (typeof route.lazy !== 'function') return;
      Object.assign(route, await route.lazy());
      delete route.lazy;
    }),
  );
  const deferred = deferredValues();
  const { hydration } = boot;
  const router = createBrowserRouter(routes, {
    hydrationData: {
      loaderData: Object.fromEntries(
        Object.entries(hydration.loaderData).map(([id, data]) => [id, revive(data, deferred)]),
      ),
      actionData: hydration.actionData,
      errors: hydration.errors ? routeErrors(hydration.errors) : null,
    },
    getContext: () => new RouterContextProvider(new Map([[apiContext, api]])),
  });

  const live = createLiveSource(
    () => session.get() !== null,
    () => connection?.failed(),
  );
  // Answers kept for a quick return are dropped before the page is read again.
  live.subscribe(() => answers.clear());
  const livePage = createLivePage(router, live);
  const root = document.getElementById('root');
  if (!root) throw new Error('no root element');
  const hydrate = (giveUp: (error: unknown) => void) => {
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
    hydrateRoot(root, [null, [app, null, null]], {
      // Nothing of the page is left then, before the first picture as well as later.
      onUncaughtError: (error) => {
        reportError(error);
        giveUp(error);
      },
    });
    shown.resolve();
  };

  const watchLater = async () => {
    if (!session.get()) return;
    const { watchConnection } = await import('#client/app/lost-watch.tsx');
    connection = watchConnection({
      note: lost,
      here: () => router.state.location.pathname + router.state.location.search,
      navigate: (path) => void (session.get() && router.navigate(path)),
      // What failed because nobody answered is asked again.
      onBack: () => void (router.state.errors && router.revalidate()),
    });
    await Promise.all([texts.load(ROUTES.ws.texts), SCREENS.ws()]);
  };
  const begin = () => {
    changeVisitor = () => {
      answers.clear();
      void router.revalidate();
    };
    // Loaded while it still can be, with the page that explains.
    whenIdle(() => void watchLater().catch(() => undefined));
    session.start();
    const target = adoptTarget();
    if (target !== null) void router.navigate(target, { replace: true });
    live.subscribe((topic) => {
      if (topic === 'balance' || topic === 'session' || topic === 'notifications') session.poke();
    });
    startOptimisation({
      router,
      answers,
      prefetch: (id: RouteId) => {
        void texts.load(ROUTES[id].texts);
        chunks.fetchAhead(id);
        SCREENS[id]().catch(() => undefined);
      },
    });
    whenIdle(() => void chunks.learn());
    // The document came with the visitor's look; from now on it follows what local storage says.
    whenIdle(
      () =>
        void import('#client/lib/ui-settings-store.ts').then(
          ({ uiSettings }) => uiSettings.start(),
          () => undefined,
        ),
    );
    if (boot.denied) void sayDenied(t);
  };
  return {
    texts,
    plugins,
    mount: (giveUp) => {
      hydrate(giveUp);
      begin();
    },
  };
}

watchPage(window, journal);
const { __boot: boot } = window;
if (boot) void startInBrowser(boot, () => createApp(boot));
