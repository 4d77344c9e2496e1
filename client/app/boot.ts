import type { DebugInfo } from '#shared/debug-info.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { Flags } from '#shared/flags.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { TextFile } from '#shared/i18n/text-files.ts';
import type { AnnouncementsStanding, MenuLink, PublicSettings } from '#client/lib/shell-context.ts';

/** The session answer of the specification, section 3. */
export interface SessionAnswer {
  readonly user_info: Readonly<Record<string, string | number | boolean | null>>;
  readonly billing: Readonly<Record<string, number>>;
  readonly stats: Readonly<Record<string, number>>;
  readonly permissions: readonly string[];
  /** A member of staff views as this user until a moment (ISO); absent: it is the user's own session. */
  readonly viewing?: { readonly until: string } | undefined;
  /** Links that the host added to the navigation; absent: none. */
  readonly menu?: readonly MenuLink[] | undefined;
  /** Absent: nothing is unread or urgent. */
  readonly announcements?: AnnouncementsStanding | undefined;
}

/** The time zone a page shows times in, an IANA name: the visitor's own, or that of the installation. */
export function timeZoneOf(session: SessionAnswer | null, settings: PublicSettings): string {
  return String(session?.user_info.time_zone ?? settings.app_timezone ?? 'UTC');
}

/** The data that comes with a page: written by the server, read by the browser before hydration. */
export interface Boot {
  readonly build: string;
  readonly locale: Locale;
  readonly theme: 'dark' | 'light';
  readonly collapsed: boolean;
  readonly timeZone: string;
  readonly now: string;
  readonly requestId: string;
  readonly session: SessionAnswer | null;
  /**
   * The marker that came with the request and belongs to no session; null: none. The page clears it, unless a log-in
   * has set another meanwhile: an answer that cleared it would clear that one.
   */
  readonly refusedMarker: string | null;
  readonly settings: PublicSettings;
  readonly flags: Flags;
  readonly debug: DebugInfo;
  /** The files that hold the page's texts in the visitor's language: the page names them, a browser keeps them. */
  readonly textFiles: readonly TextFile[];
  /** What is said where the application does not start, not even its texts. */
  readonly startTexts: Readonly<Record<string, string>>;
  /** The address that is rendered, if it is not the one in the address bar (a refused page). */
  readonly renderedPath: string | null;
  /** The visitor lacks the permission: the dialog of the specification, section 8, is shown. */
  readonly denied: boolean;
  /** The request came from this machine under `serve --local`: the access check does not apply. */
  readonly local: boolean;
  /** The host shows ads on this page. */
  readonly ads: boolean;
  /** Modules of client plugins. */
  readonly plugins: readonly string[];
  /**
   * Safe mode, without the host's own stylesheet, script, plugins and ads: requested for this page, or for the whole
   * server at its start.
   */
  readonly safe: 'page' | 'server' | null;
  /** First part of the idempotency keys of this page's forms. */
  readonly formKey: string;
  readonly hydration: Hydration;
}

/** The router's state, as data: deferred values stand as `{$d: id}`. */
interface Hydration {
  readonly loaderData: Readonly<Record<string, unknown>>;
  readonly actionData: Readonly<Record<string, unknown>> | null;
  readonly errors: Readonly<Record<string, PageError>> | null;
}

/** What an error page may show of an error. */
export interface PageError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly requestId: string | null;
}

declare global {
  interface Window {
    __boot?: Boot;
    /** Deferred values that have arrived: id, fulfilled or not, value. */
    __dq?: { push(entry: [string, 0 | 1, unknown]): unknown } | [string, 0 | 1, unknown][];
  }
}
