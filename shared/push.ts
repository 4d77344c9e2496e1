/** Hosts of the push services of browsers (services, webpush), as a whole or everything below one. */
const SERVICES = ['fcm.googleapis.com', 'updates.push.services.mozilla.com'];
const FAMILIES = ['.notify.windows.com', '.push.apple.com'];

/**
 * Whether an address belongs to a push service of a browser: HTTPS on its usual port, nobody's name in it. It is what a
 * stranger says, and we post to it (attacks T44).
 */
export function isPushService(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '')
    return false;
  return SERVICES.includes(url.hostname) || FAMILIES.some((end) => url.hostname.endsWith(end));
}

/** What a push says to the worker of the browser. */
export interface PushText {
  readonly title: string;
  readonly body: string;
  /** A path of the product. */
  readonly path: string;
  /** A later one of the same tag takes the place of the first on the screen. */
  readonly tag: string;
}
