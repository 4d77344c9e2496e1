/**
 * Navigates to another site by script. The address comes from the server, which has checked that its scheme is http or
 * https.
 */
export function goToExternalUrl(url: string): void {
  if (/^https?:\/\//.test(url)) globalThis.location.assign(url);
}
