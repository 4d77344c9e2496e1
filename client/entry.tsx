import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, isRouteErrorResponse, matchRoutes, RouterContextProvider, UNSAFE_ErrorResponseImpl } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { App, type AppStores } from '#client/app/app.tsx';
import { createBrowserApi } from '#client/app/api.ts';
import type { Boot, PageError } from '#client/app/boot.ts';
import { loadChunk } from '#client/app/chunk.ts';
import { createGuard } from '#client/app/guards.ts';
import { createLiveSource } from '#client/app/live-source.ts';
import { prefetchOnIntent } from '#client/app/prefetch.ts';
import { buildRoutes } from '#client/app/router.tsx';
import { SCREENS } from '#client/app/screens.ts';
import { createSessionStore, expireCookie, type SessionFailure } from '#client/app/session-store.ts';
import { createTextStore } from '#client/app/texts.ts';
import { apiContext } from '#client/lib/api-context.ts';
import { nameDeferred } from '#client/lib/deferred.tsx';
import { LiveContext } from '#client/lib/live.ts';
import { dialogs } from '#client/ui/dialogs.ts';
import { LOCALE_COOKIE, STORAGE, THEME_COOKIE } from '#shared/constants.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { ROUTES, type RouteId } from '#shared/routes/table.ts';

const YEAR_S = 365 * 24 * 3600;

/** Deferred values of the stream: those that have arrived, and those still on their way. */
function deferredValues(): (id: string) => Promise<unknown> {
  const waiting = new Map<string, { promise: Promise<unknown>; resolve: (value: unknown) => void; reject: (error: Error) => void }>();
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
      typeof value === 'object' && value !== null && '$d' in value && typeof value.$d === 'string' ? deferred(value.$d) : value,
    ]),
  );
}

function reviveErrors(errors: Readonly<Record<string, PageError>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(errors).map(([id, error]) => [id, new UNSAFE_ErrorResponseImpl(error.status, '', error)]));
}

async function start(boot: Boot): Promise<void> {
  const { api, outdated } = createBrowserApi(boot.build);
  const texts = createTextStore(boot.locale, boot.texts, boot.build);
  let theme = boot.theme;
  const themeListeners = new Set<() => void>();
  const mirror = (name: string, value: string) => (document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`);
  const t = (key: string) => texts.translator().loose('errors')(key);

  const session = createSessionStore(
    {
      api,
      cookies: () => document.cookie,
      clearCookie: (name) => (document.cookie = expireCookie(name)),
      storage: localStorage,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onFailure: (why: SessionFailure) => {
        const about = {
          unavailable: { title: t('dialog.unavailable.title'), text: t('dialog.unavailable.text') },
          expired: { title: t('dialog.session.title'), text: t('dialog.session.text'), footer: t('dialog.session.footer') },
          start: { title: t('dialog.start.title'), text: t('dialog.start.text') },
        }[why];
        void dialogs.alert(about).then(() => location.assign(href('auth.login')));
      },
      onSecondFactor: () => location.assign('/auth/2fa/verify'),
    },
    boot.session,
  );

  const stores: AppStores = {
    api,
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
      localStorage.setItem(STORAGE.theme, next);
      mirror(THEME_COOKIE, next);
      themeListeners.forEach((listener) => listener());
    },
    setLocale: (next) => {
      const locale = toLocale(next);
      localStorage.setItem(STORAGE.locale, locale.toUpperCase());
      mirror(LOCALE_COOKIE, locale);
      void texts.change(locale).then(() => (document.documentElement.lang = texts.translator().locale));
      if (session.get()) void saveLocale(locale);
    },
  };
  const saveLocale = async (locale: ReturnType<typeof toLocale>) => {
    const { first_name, last_name } = await api.account.get();
    await api.account.update({ body: { first_name, last_name, locale } });
  };

  const sayDenied = () => dialogs.alert({ title: t('dialog.denied.title'), text: t('dialog.denied.text') });
  const guard = createGuard({ session, flags: boot.flags, sayDenied });
  const routes = buildRoutes({
    loadTexts: (namespaces) => texts.load(namespaces),
    chunk: loadChunk,
    guard: async (row, request) => {
      if (outdated() && request.method === 'GET') {
        location.assign(request.url);
        return new Promise<void>(() => undefined);
      }
      return guard(row, request);
    },
    afterAction: () => session.refresh(),
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
      loaderData: Object.fromEntries(Object.entries(hydration.loaderData).map(([id, data]) => [id, revive(data, deferred)])),
      actionData: hydration.actionData,
      errors: hydration.errors ? reviveErrors(hydration.errors) : null,
    },
    getContext: () => new RouterContextProvider(new Map([[apiContext, api]])),
  });

  const live = createLiveSource(() => session.get() !== null);
  const root = document.getElementById('root');
  if (!root) throw new Error('no root element');
  requestAnimationFrame(() => {
    // The server renders the application as the second child of <html>: `useId` counts that, so the same place is taken here.
    hydrateRoot(root, [
      null,
      <App key="app" boot={boot} stores={stores}>
        <LiveContext value={live}>
          <RouterProvider router={router} />
        </LiveContext>
      </App>,
    ]);
  });

  session.start();
  live.subscribe((topic) => {
    if (topic === 'balance' || topic === 'session' || topic === 'notifications') void session.refresh();
  });
  prefetchOnIntent((id: RouteId) => {
    void texts.load(ROUTES[id].texts);
    SCREENS[id]().catch(() => undefined);
  });
  void texts.loadFallback();
  if (boot.denied) void sayDenied();
}

if (window.__boot) void start(window.__boot);

/** Kept for the type of errors that reach the browser. */
export { isRouteErrorResponse };
