import { MARKER_COOKIE, REDIRECT_COOKIE, REDIRECT_STORED, SECOND_FACTOR_PATH, STORAGE } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { readCookie } from './cookies.ts';
import { storage } from './storage.ts';

/** Longest target that is kept. */
const MAX_LENGTH = 2000;
/** Pages between the log-in and the target. */
const INTERMEDIATE_PAGES: readonly string[] = [SECOND_FACTOR_PATH, href('auth.factorSetup')];
/** An arbitrary origin: a path that leaves it would leave ours as well. */
const ANY_ORIGIN = 'https://here.invalid';

/**
 * Whether a text is a full path of our own origin: one leading slash, no backslash or control character, however the
 * dots are resolved (attacks T45).
 */
export function isOwnPath(path: string): boolean {
  if (path.length > MAX_LENGTH || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path) || !URL.canParse(path, ANY_ORIGIN))
    return false;
  const { origin, pathname } = new URL(path, ANY_ORIGIN);
  return origin === ANY_ORIGIN && !pathname.startsWith('//');
}

/**
 * Stores the page that a guest requested, for after the login (specification, section 2). In: the full path; anything
 * that is not a path of ours is ignored.
 */
export function saveTarget(path: string): void {
  if (isOwnPath(path)) storage.setItem(STORAGE.redirect, path);
}

/**
 * Where to go after the login: the stored target, or the dashboard. The browser reads and removes it from local
 * storage; the server reads the short-lived cookie of the redirect, which the response clears.
 */
export function consumeTarget(request: Request): string {
  return (
    (typeof window === 'undefined' ? readTargetCookie(request.headers.get('cookie') ?? '') : consumeStoredTarget()) ??
    href('dashboard')
  );
}

/**
 * Handles the server's redirect cookie. After a guest's redirect it holds the requested page, which moves into local
 * storage. After a redirect of a logged-in visitor, whose local storage the server cannot see, the stored target is
 * returned, to go there now. Null: stay.
 */
export function adoptTarget(): string | null {
  const { cookie } = document;
  const value = readCookie(cookie, REDIRECT_COOKIE);
  if (value === null) return null;
  document.cookie = `${REDIRECT_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax; Secure`;
  if (value === REDIRECT_STORED) return consumeStoredTarget();
  // A logged-in visitor is already there.
  if (readCookie(cookie, MARKER_COOKIE) === null || INTERMEDIATE_PAGES.includes(location.pathname)) saveTarget(value);
  return null;
}

/** The target in a Cookie header; null when there is none that may be followed. */
export function readTargetCookie(cookies: string): string | null {
  const path = readCookie(cookies, REDIRECT_COOKIE);
  return path !== null && isOwnPath(path) ? path : null;
}

function consumeStoredTarget(): string | null {
  const stored = storage.getItem(STORAGE.redirect);
  storage.removeItem(STORAGE.redirect);
  return stored !== null && isOwnPath(stored) ? stored : null;
}
