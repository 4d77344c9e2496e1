import type { HandlerCtx, Transport } from '#server/http/implement.types.ts';
import type { Browser } from '#server/modules/identity/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';

type Cookies = Transport['cookies'];

/** Names a browser the user has logged in from before, so that a new one can be told from it. It opens nothing. */
export const DEVICE_COOKIE = '__Host-spawnpoint-device';
/** Life of the session cookies: that of a session (behaviour 3.3), in seconds. The server's own row decides. */
const SESSION_S = 30 * 24 * 3600;
/** Longest life browsers grant a cookie. */
const DEVICE_S = 400 * 24 * 3600;

/** Puts the secret and the marker beside it (behaviour 3.4). */
export function setSessionCookies(cookies: Cookies, secret: string): void {
  cookies.set(SESSION_COOKIE, secret, { maxAgeS: SESSION_S, httpOnly: true });
  cookies.set(MARKER_COOKIE, '1', { maxAgeS: SESSION_S });
}

/** Takes both away. */
export function clearSessionCookies(cookies: Cookies): void {
  cookies.set(SESSION_COOKIE, '', { maxAgeS: 0, httpOnly: true });
  cookies.set(MARKER_COOKIE, '', { maxAgeS: 0 });
}

/** The token that a browser brought; '' where it brought none. */
export function deviceIn(cookies: Pick<Cookies, 'get'>): string {
  const brought = cookies.get(DEVICE_COOKIE);
  return brought && /^[A-Za-z0-9_-]{8,100}$/.test(brought) ? brought : '';
}

/** The token that names this browser; a new one (set as a cookie) where it brought none. */
export function deviceOf(cookies: Cookies, newToken: () => string): string {
  const token = deviceIn(cookies) || newToken();
  cookies.set(DEVICE_COOKIE, token, { maxAgeS: DEVICE_S, httpOnly: true });
  return token;
}

/** The browser that asks: its session's secret, and the token that names it. */
export function browserOf(ctx: HandlerCtx, ids: Pick<Ids, 'token'>): Browser {
  return { secret: ctx.secret, device: deviceOf(ctx.cookies, () => ids.token()) };
}
