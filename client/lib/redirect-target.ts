import { MARKER_COOKIE, REDIRECT_COOKIE, REDIRECT_STORED, SECOND_FACTOR_PATH, STORAGE } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { storage } from './storage.ts';

/** Longest target that is kept. */
const MAX_LENGTH = 2000;
/** Pages between the log-in and the target. */
const INTERMEDIATE_PAGES: readonly string[] = [SECOND_FACTOR_PATH, href('auth.factorSetup')];
/** Any origin: what leads away from it leads away from ours as well. */
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
 * Stores the page a guest wanted, for after the login (specification, section 2). In: the full path; what is none is
 * not kept.
 */
export function saveTarget(path: string): void {
  if (isOwnPath(path)) storage.setItem(STORAGE.redirect, path);
}

/**
 * Where to go after the login: the stored target, or the dashboard. In the browser it is taken from local storage (and
 * forgotten); on the server from the short-lived cookie of the redirect, which the answer takes back.
 */
export function consumeTarget(request: Request): string {
  return (
    (typeof window === 'undefined' ? readTargetCookie(request.headers.get('cookie') ?? '') : consumeStoredTarget()) ??
    href('dashboard')
  );
}

/**
 * Takes over what the server knows: it redirected a guest and left the page they wanted in a cookie, which moves into
 * local storage; or it redirected somebody who is logged in and cannot see local storage, then the stored target is
 * given back, to go there now. Null: stay.
 */
export function adoptTarget(): string | null {
  const { cookie } = document;
  const value = readCookie(cookie, REDIRECT_COOKIE);
  if (value === null) return null;
  document.cookie = `${REDIRECT_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax; Secure`;
  if (value === REDIRECT_STORED) return consumeStoredTarget();
  // Somebody who is logged in has arrived already.
  if (readCookie(cookie, MARKER_COOKIE) === null || INTERMEDIATE_PAGES.includes(location.pathname)) saveTarget(value);
  return null;
}

/** The target in a Cookie header; null where there is none that may be followed. */
export function readTargetCookie(cookies: string): string | null {
  const path = readCookie(cookies, REDIRECT_COOKIE);
  return path !== null && isOwnPath(path) ? path : null;
}

function consumeStoredTarget(): string | null {
  const stored = storage.getItem(STORAGE.redirect);
  storage.removeItem(STORAGE.redirect);
  return stored !== null && isOwnPath(stored) ? stored : null;
}

function readCookie(cookies: string, name: string): string | null {
  const found = new RegExp(`(?:^|; )${name}=([^;]+)`).exec(cookies)?.[1];
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    return null;
  }
}
