import { readTargetCookie } from '#client/lib/redirect-target.ts';
import { REDIRECT_COOKIE, REDIRECT_STORED } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { readCookie, writeCookie } from '#server/http/cookies.ts';
import type { PageCall } from '#server/http/app.ts';

/** A document that is asked for, and the cookies that its answer sets so far. */
interface Going {
  readonly call: PageCall;
  readonly cookies: readonly string[];
}

/** To the log-in, or to what is still missing of it; the page that was wanted is remembered. */
export function toLogin({ call, cookies }: Going, path: string = href('auth.login')): Response {
  const target = call.url.pathname + call.url.search;
  const remembered = writeCookie(REDIRECT_COOKIE, target.length <= 1000 ? target : href('dashboard'), { maxAgeS: 600 });
  return redirectTo(path, [...cookies, remembered]);
}

/**
 * The auth-redirect: to the page that was wanted, which is forgotten. Where it is not known here, the browser looks
 * into its local storage.
 */
export function toTarget({ call, cookies }: Going): Response {
  const target = readTargetCookie(call.cookie ?? '');
  const lines = target ? forgetTarget(call) : [writeCookie(REDIRECT_COOKIE, REDIRECT_STORED, { maxAgeS: 60 })];
  return redirectTo(target ?? href('dashboard'), [...cookies, ...lines]);
}

/** Cookies that forget the wanted page, where one is remembered. */
export function forgetTarget({ cookie }: PageCall): readonly string[] {
  return readCookie(cookie, REDIRECT_COOKIE) === null ? [] : [writeCookie(REDIRECT_COOKIE, '', { maxAgeS: 0 })];
}

/** Sends the browser on, with cookies. */
export function redirectTo(location: string, cookies: readonly string[]): Response {
  return withCookies(new Response(null, { status: 302, headers: { Location: location } }), cookies);
}

/** The answer with cookies on top of its own. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  const headers = new Headers(response.headers);
  for (const line of cookies) headers.append('Set-Cookie', line);
  return new Response(response.body, { status: response.status, headers });
}
