import type { HandlerCtx, Transport } from '#server/http/implement.types.ts';
import type { Browser } from '#server/modules/identity/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';

type Cookies = Transport['cookies'];

/** Names a browser that a user has logged in from before, so that a new one is recognized. It authenticates nobody. */
export const DEVICE_COOKIE = '__Host-spawnpoint-device';
/**
 * Seconds that cookies live: the most that browsers keep one. How long a session lives is decided by its row (behaviour
 * 3.3), which slides without its cookies being set again.
 */
const COOKIE_S = 400 * 24 * 3600;

/**
 * Sets the cookies of a session: its secret, and the marker that scripts can read (behaviour 3.4). Each marker has a
 * value of its own, which says nothing of the secret: by it a page sees that what was refused was not yet this
 * session.
 */
export function setSessionCookies(cookies: Cookies, secret: string): void {
  cookies.set(SESSION_COOKIE, secret, { maxAgeS: COOKIE_S, httpOnly: true });
  cookies.set(MARKER_COOKIE, crypto.randomUUID(), { maxAgeS: COOKIE_S });
}

/** Deletes the cookies of a session. */
export function clearSessionCookies(cookies: Cookies): void {
  cookies.set(SESSION_COOKIE, '', { maxAgeS: 0, httpOnly: true });
  cookies.set(MARKER_COOKIE, '', { maxAgeS: 0 });
}

/** The device token that the browser sent; '' where it sent none, or a malformed one. */
export function readDevice(cookies: Pick<Cookies, 'get'>): string {
  const sent = cookies.get(DEVICE_COOKIE);
  return sent && /^[A-Za-z0-9_-]{8,100}$/.test(sent) ? sent : '';
}

/** The device token of the browser, created where it sent none; its cookie is set again, which prolongs it. */
export function ensureDevice(cookies: Cookies, newToken: () => string): string {
  const token = readDevice(cookies) || newToken();
  cookies.set(DEVICE_COOKIE, token, { maxAgeS: COOKIE_S, httpOnly: true });
  return token;
}

/** The calling browser: the secret of its session, and its device token. */
export function browserOf(ctx: HandlerCtx, ids: Pick<Ids, 'token'>): Browser {
  return { secret: ctx.secret, device: ensureDevice(ctx.cookies, () => ids.token()) };
}
