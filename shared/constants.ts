/** Constants of the specification (section 9 unless noted). */
export const SESSION_REFRESH_MS = 60_000;
export const SESSION_RETRIES = 3;
export const SESSION_RETRY_DELAY_MS = 2_000;

/** Marker cookie that tells scripts a session may exist (behaviour 3.4). It has no power. */
export const MARKER_COOKIE = 'user_token';
/**
 * Cookies whose presence counts as a login for the navigation guard alone (specification, section 2). The last is the
 * product-named one.
 */
export const PRESENCE_COOKIES = [MARKER_COOKIE, 'session_token', 'auth_token', 'token', 'spawnpoint_token'] as const;
/** The session secret (behaviour 3.4): HttpOnly, Secure, SameSite=Lax, host only. */
export const SESSION_COOKIE = '__Host-spawnpoint';
/** Cookie mirrors of what the server needs for the first byte. */
/** Header by which a command says whose page it comes from, by the user's id (attacks T39). */
export const ACTING_AS_HEADER = 'x-acting-as';
/** The same in a form that is sent without scripts. */
export const ACTING_AS_FIELD = '_as';
export const LOCALE_COOKIE = 'locale';
export const THEME_COOKIE = 'theme';
/**
 * Mirrors the UI settings that differ from the defaults, so that the server's first byte has them (specification,
 * section 3).
 */
export const UI_COOKIE = 'ui';
/** Short-lived cookie with the page a guest requested; the login screen moves it into local storage. */
export const REDIRECT_COOKIE = 'redirect_after_login';
/** Value of that cookie when the server redirects without knowing the target: the browser reads its local storage. */
export const REDIRECT_STORED = 'stored';
/** Where TW0_FA_BLOCKED leads to (specification, section 4). */
export const SECOND_FACTOR_PATH = '/auth/2fa/verify';

/** Local storage keys (specification, sections 2, 3 and 9). */
export const STORAGE = {
  permissions: 'user_permissions',
  userInfo: 'user_info',
  billing: 'billing',
  stats: 'stats',
  settings: 'app_settings',
  flags: 'feature_flags',
  debug: 'debug_info',
  /** Names of the entries that the session has cached. */
  sessionKeys: 'session_keys',
  /** Used to message other tabs in browsers without BroadcastChannel. */
  news: 'session_news',
  redirect: 'redirectAfterLogin',
  ui: 'ui-settings',
  transition: 'preferredTransition',
  /** Not `locale`: under that name the account's own language is cached, as every entry of user_info is under its own. */
  locale: 'preferredLocale',
  theme: 'theme',
} as const;

/** Paging of lists (behaviour 1). */
export const PAGE_SIZE = 25;
export const PAGE_SIZE_MAX = 100;

/** Kinds of resource a user has limits of, in the order in which they are shown (behaviour 5.1, 5.2). */
export const RESOURCE_KINDS = ['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];
/** Amount per kind: memory and disk in MB, cpu in percent of one core, the rest as counts. */
export type Resources = Record<ResourceKind, number>;
/** Minimum of each resource of a server (behaviour 6.1). Zero never means unlimited. */
export const SERVER_MINIMUM = { memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 } as const;

/** Where other services send their webhooks; see `hook` in the contract. */
export const WEBHOOK_PATH = '/api/webhooks/';
