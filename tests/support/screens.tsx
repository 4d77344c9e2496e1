import { fireEvent, render } from '@testing-library/react';
import type { ComponentType, ReactNode } from 'react';
import { createRoutesStub, RouterContextProvider, useLocation } from 'react-router';
import type { ActionFunction, LoaderFunction } from 'react-router';
import { renderToString } from 'react-dom/server';
import { apiContext } from '#client/lib/api-context.ts';
import { ApiProvider } from '#client/lib/use-api.ts';
import { createI18n } from '#client/lib/i18n-instance.ts';
import { I18nProvider, createTranslator } from '#client/lib/i18n.tsx';
import { ShellProvider } from '#client/lib/shell-context.ts';
import { learnStaffRoutes } from '#client/lib/known-routes.ts';
import type { SessionView, Shell } from '#client/lib/shell-context.ts';
import '#client/ui/icons-app.ts';
import { DialogHost } from '#client/ui/dialog-host.tsx';
import { ToastRegion } from '#client/ui/toast-region.tsx';
import { createApi } from '#shared/contract/index.ts';
import { ERRORS } from '#shared/errors.ts';
import type { BanNotice, ErrorCode, FieldErrors } from '#shared/errors.ts';
import { FLAGS } from '#shared/flags.ts';
import type { Flags } from '#shared/flags.ts';
import { SETTINGS } from '#shared/settings.ts';
import { STAFF_ROUTE_LIST } from '#shared/routes/staff.ts';
import { localeTexts } from './texts.ts';

/**
 * Renders a screen with its real loader and action, over an API whose answers the test writes. Import it dynamically,
 * after `installDom()` (support/dom.ts).
 */

/** A call that reached the API. */
export interface Call {
  readonly key: string | null;
  readonly path: string;
  readonly body: unknown;
}
/** An answer by `METHOD /path` (without query): its fields, or a function of the call. */
export type Answers = Readonly<Record<string, object | ((call: Call) => object)>>;

// A page of staff has the routes of staff loaded before it is shown.
learnStaffRoutes(STAFF_ROUTE_LIST);

// This DOM does not know <search> yet, which React would warn of.
Object.defineProperty(HTMLUnknownElement.prototype, Symbol.toStringTag, { value: 'HTMLElement' });

const REFUSAL = Symbol('refusal');
interface Refusal {
  readonly [REFUSAL]: ErrorCode;
  readonly fields: FieldErrors;
  readonly retryAfterS: number | undefined;
  readonly ban: BanNotice | undefined;
}
/** An answer that refuses. */
export function refuse(code: ErrorCode, fields: FieldErrors = {}, retryAfterS?: number, ban?: BanNotice): Refusal {
  return { [REFUSAL]: code, fields, retryAfterS, ban };
}

/** The passkeys of a user who has none, and has not confirmed who they are. */
export const NO_PASSKEYS = { domain: null, confirmed: false, needs_password: true, needs_code: false, passkeys: [] };

export interface ScreenModule {
  readonly default: ComponentType;
  readonly loader?: LoaderFunction;
  readonly action?: ActionFunction;
}
export interface ScreenSetup {
  /** Address with query; the path is the route's. */
  readonly url: string;
  /** The route's pattern, where the address has parameters. */
  readonly path?: string;
  readonly answers?: Answers;
  readonly session?: Partial<SessionView>;
  readonly flags?: Partial<Flags>;
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  readonly shell?: Partial<Shell>;
  /**
   * Gives components the API client as the browser has it (`useApi`): the answers hold for what is asked after the page
   * is shown, too.
   */
  readonly inBrowser?: boolean;
}

/** The page's time in all tests. */
export const NOW = '2026-11-21T18:30:00.000Z';
export const MIRELA = {
  id: 'u1',
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  role: 'Member',
  role_color: '#888888',
  verified: true,
};
const NOTHING_ANNOUNCED = { unread: 0, urgent: [] };
/** A session that is none. */
export const GUEST: SessionView = {
  signedIn: false,
  user: null,
  permissions: [],
  balance: 0,
  unread: 0,
  unreadTickets: 0,
  menu: [],
  announcements: NOTHING_ANNOUNCED,
};

/** All texts, but those of mails. */
const { mail: _, ...texts } = localeTexts('en');

function shellOf(setup: ScreenSetup): Shell {
  const settings = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default]));
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, true])) as Record<(typeof FLAGS)[number], boolean>;
  return {
    session: { ...GUEST, signedIn: true, user: MIRELA, balance: 1284, ...setup.session },
    flags: { ...flags, ...setup.flags },
    settings: { ...settings, ...setup.settings },
    now: NOW,
    elapsedMs: () => 0,
    theme: 'dark',
    setTheme: () => {},
    setLocale: () => {},
    requestId: '0190a000-0000-7000-8000-0000000000aa',
    ...setup.shell,
  };
}

function fakeApi(answers: Answers, calls: Map<string, Call[]>) {
  return createApi(
    (url, init) => {
      const [path = ''] = url.split('?');
      const name = `${init.method} ${path}`;
      const answer = answers[name];
      if (answer === undefined) return Promise.reject(new Error(`the test gives no answer to ${name}`));
      const call = {
        key: new Headers(init.headers).get('Idempotency-Key'),
        path: url,
        body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
      };
      calls.set(name, [...(calls.get(name) ?? []), call]);
      return Promise.resolve(
        asResponse(typeof answer === 'function' ? (answer as (call: Call) => object)(call) : answer),
      );
    },
    () => 'made-by-the-client',
  );
}

function asResponse(answer: object): Response {
  if (!(REFUSAL in answer)) return Response.json({ success: true, error_code: null, ...answer });
  const { [REFUSAL]: code, fields, retryAfterS, ban } = answer as Refusal;
  const headers = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) };
  return Response.json(
    { success: false, error_code: code, fields, request_id: 'r-1', ...(ban ? { ban } : {}) },
    { status: ERRORS[code], headers },
  );
}

function Elsewhere(): ReactNode {
  const { pathname, search } = useLocation();
  return <p data-testid="elsewhere">{pathname + search}</p>;
}

const translator = createTranslator(createI18n('en', { en: texts }), 'en');

function stub(screen: ScreenModule, setup: ScreenSetup, calls: Map<string, Call[]>): (hydration?: object) => ReactNode {
  const [path = '/'] = setup.path ? [setup.path] : setup.url.split('?');
  const shell = shellOf(setup);
  const Screen = screen.default;
  const api = fakeApi(setup.answers ?? {}, calls);
  const context = new RouterContextProvider(new Map([[apiContext, api]]));
  const Page = (): ReactNode => (
    <I18nProvider translator={translator} timeZone="UTC">
      <ShellProvider value={shell}>
        <ApiProvider value={setup.inBrowser ? api : null}>
          <Screen />
        </ApiProvider>
        <DialogHost />
        <ToastRegion />
      </ShellProvider>
    </I18nProvider>
  );
  const { loader, action } = screen;
  const Stub = createRoutesStub(
    [
      {
        id: 'screen',
        path,
        Component: Page,
        HydrateFallback: () => null,
        ...(loader ? { loader } : {}),
        ...(action ? { action } : {}),
      },
      { path: '*', Component: Elsewhere },
    ],
    context,
  );
  return (hydration) => <Stub initialEntries={[setup.url]} {...(hydration ? { hydrationData: hydration } : {})} />;
}

/** Shows a screen in the test's document. `calls` tells what reached the API; the first content is awaited by the test. */
export function showScreen(
  screen: ScreenModule,
  setup: ScreenSetup,
): { calls: (name: string) => readonly Call[]; container: HTMLElement } {
  const calls = new Map<string, Call[]>();
  const { container } = render(stub(screen, setup, calls)());
  return { calls: (name) => calls.get(name) ?? [], container };
}

/** The HTML of a screen as the server sends it, with the given data; scripts have not run. */
export function serverHtml(screen: ScreenModule, setup: ScreenSetup, data: unknown, actionData?: unknown): string {
  return renderToString(
    stub(
      screen,
      setup,
      new Map(),
    )({ loaderData: { screen: data }, ...(actionData === undefined ? {} : { actionData: { screen: actionData } }) }),
  );
}

/** Types into a field. */
export function type(field: HTMLElement, value: string): void {
  fireEvent.input(field, { target: { value } });
  fireEvent.change(field, { target: { value } });
}
