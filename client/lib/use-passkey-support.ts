import { useHydrated } from './use-hydrated.ts';

/**
 * Whether this browser can use passkeys of a domain on this page. False on the server and in the first render: there is
 * nothing to use them with yet. In: the domain, or null where there are none.
 */
export function usePasskeySupport(domain: string | null): boolean {
  if (!useHydrated() || domain === null || !('PublicKeyCredential' in window)) return false;
  const { hostname } = window.location;
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
