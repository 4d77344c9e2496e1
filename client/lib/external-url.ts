/**
 * Goes to another site, with scripts. The address comes from the server, which has checked it: the web's own schemes
 * only.
 */
export function goToExternalUrl(url: string): void {
  if (/^https?:\/\//.test(url)) globalThis.location.assign(url);
}
