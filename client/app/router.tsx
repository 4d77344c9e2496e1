import { data, type ActionFunctionArgs, type LoaderFunctionArgs, type RouteObject } from 'react-router';
import { isLazy } from '#client/lib/lazy-action.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Layout, Route } from '#shared/routes/row.ts';
import type { RouteId } from '#shared/routes/table.ts';
import type { PageError } from './boot.ts';
import { ErrorPage, ScreenError } from './error-page.tsx';
import { Root } from './root.tsx';
import {
  LAYOUTS,
  NOT_FOUND_SCREEN,
  type PageHandle,
  type Pages,
  type ScreenLoader,
  type ScreenModule,
} from './screens.ts';

/** The parts of the routes that differ between server and browser. */
export interface RouterEnv {
  /** Makes the texts of a layout's pages available before one is shown. Nothing to do on the server. */
  loadTexts(layout: Layout): Promise<void>;
  /** The navigation guard, before a loader or an action runs; throws a redirect. The server has checked already. */
  guard(row: Route<RouteId>, request: Request): Promise<void>;
  /**
   * Handles an API error of a loader or an action; throws a redirect if the error catalogue has one. Absent on the
   * server.
   */
  refused?(error: ApiError, request: Request): Promise<void>;
  /** After an action of the browser: the session may have changed. */
  afterAction(): Promise<void>;
  /** Wraps the loading of a chunk (one reload when the build has changed). */
  chunk<T>(load: () => Promise<T>): Promise<T>;
  /** Preloads all chunks of a screen or layout at once. Absent on the server. */
  preload?(name: RouteId | 'notFound' | `layout.${Layout}`): void;
  /** Runs something when the page is idle. Absent on the server. */
  whenIdle?(run: () => void): void;
}

const LAYOUT_ORDER: readonly Layout[] = ['auth', 'app', 'admin', 'plain'];

/**
 * The route table as the router's objects: root, layouts, screens. The same on both sides (architecture, section 6).
 * In: also the pages to begin with; others are put under `STAFF_PARENT` later.
 */
export function buildRoutes(env: RouterEnv, pages: readonly Pages[]): RouteObject[] {
  const notFound: RouteObject = {
    id: 'notFound',
    path: '*',
    lazy: () => lazyScreen(env, NOT_FOUND_SCREEN, null),
  };
  const layouts = LAYOUT_ORDER.map((layout): RouteObject => ({
    id: `layout.${layout}`,
    lazy: async () => {
      env.preload?.(`layout.${layout}`);
      const { default: Component, loader } = await env.chunk(LAYOUTS[layout]);
      // What a layout begins with is loaded once: it keeps itself up to date.
      return { Component, ErrorBoundary: ErrorPage, ...(loader && { loader, shouldRevalidate: () => false }) };
    },
    children: [
      {
        // For screens that cannot be loaded: the router cannot render the error boundary of a route that has not
        // loaded.
        id: `screens.${layout}`,
        ErrorBoundary: ScreenError,
        children: [
          ...pages.flatMap((each) => screenRoutes(env, each, layout)),
          ...(layout === 'plain' ? [notFound] : []),
        ],
      },
    ],
  }));
  return [{ id: 'root', Component: Root, ErrorBoundary: ErrorPage, HydrateFallback: () => null, children: layouts }];
}

/** Where the pages of staff are put when they are added later. */
export const STAFF_PARENT = 'screens.admin';

/** The pages of a layout as the router's objects. */
export function screenRoutes(env: RouterEnv, { routes, screens }: Pages, layout: Layout): RouteObject[] {
  return routes
    .filter((row) => row.layout === layout)
    .map((row) => ({
      id: row.id,
      path: row.path,
      lazy: () => lazyScreen(env, screens[row.id] ?? NOT_FOUND_SCREEN, row),
    }));
}

async function lazyScreen(env: RouterEnv, load: ScreenLoader, row: Route<RouteId> | null) {
  env.preload?.(row?.id ?? 'notFound');
  const [screen] = await Promise.all([env.chunk(load), env.loadTexts(row?.layout ?? 'plain')]);
  const action = screen.action && row ? { action: wrapAction(env, screen.action, row) } : {};
  if (typeof screen.action === 'function' && isLazy(screen.action)) {
    const { load: ahead } = screen.action;
    // A failure is retried when the form is submitted.
    env.whenIdle?.(() => void ahead().catch(() => undefined));
  }
  const handle = { title: row?.title, pageName: screen.pageName, pageCard: screen.pageCard } satisfies PageHandle;
  return {
    Component: screen.default,
    ErrorBoundary: ScreenError,
    handle,
    loader: wrapLoader(env, screen, row),
    ...action,
  };
}

function wrapLoader(env: RouterEnv, screen: ScreenModule, row: Route<RouteId> | null) {
  const { loader } = screen;
  return async (args: LoaderFunctionArgs): Promise<unknown> => {
    if (row) await env.guard(row, args.request);
    try {
      return (typeof loader === 'function' ? await loader(args) : null) ?? null;
    } catch (error) {
      if (error instanceof ApiError) await env.refused?.(error, args.request);
      throw toRouteError(error);
    }
  };
}

function wrapAction(env: RouterEnv, action: NonNullable<ScreenModule['action']>, row: Route<RouteId>) {
  return async (args: ActionFunctionArgs): Promise<unknown> => {
    await env.guard(row, args.request);
    try {
      if (typeof action !== 'function') return null;
      return isLazy(action) ? await (await env.chunk(action.load)).action(args) : await action(args);
    } catch (error) {
      if (error instanceof ApiError) await env.refused?.(error, args.request);
      throw toRouteError(error);
    } finally {
      await env.afterAction();
    }
  };
}

/** An API error as the router's own: status, code and request id, nothing else. */
function toRouteError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return data({ status: error.status, code: error.code, requestId: error.requestId } satisfies PageError, {
    status: error.status,
  });
}
