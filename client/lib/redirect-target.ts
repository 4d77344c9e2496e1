import { REDIRECT_COOKIE, STORAGE } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';

/** Whether a text is a full path of our own origin: one leading slash, no backslash or control character (attacks T45). */
export function isOwnPath(path: string): boolean {
  return path.length <= 2000 && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path);
}

/**
 * Where to go after the login: the stored target, or the dashboard. In the browser it is taken from local storage (and forgotten);
 * on the server from the short-lived cookie of the redirect.
 */
export function takeTarget(request: Request): string {
  const fallback = href('dashboard');
  if (typeof window === 'undefined') {
    const found = new RegExp(`(?:^|; )${REDIRECT_COOKIE}=([^;]*)`).exec(request.headers.get('cookie') ?? '')?.[1];
    const path = found ? safeDecode(found) : '';
    return isOwnPath(path) ? path : fallback;
  }
  const stored = localStorage.getItem(STORAGE.redirect) ?? '';
  localStorage.removeItem(STORAGE.redirect);
  return isOwnPath(stored) ? stored : fallback;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
