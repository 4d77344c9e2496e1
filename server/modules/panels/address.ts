import { fieldError } from '#shared/errors.ts';
import type { KindOfHost } from './ports.ts';

/** Whether an address sends everything, the key too, in clear. */
export const isInsecure = (url: string): boolean => url.startsWith('http:');

/**
 * Refuses an address that no key may be sent to (attacks T26): without encryption only to private networks, and never
 * to this machine's own network segment, where machines of a cloud keep their secrets. In: an origin. Throws
 * VALIDATION_FAILED at `url`.
 */
export async function assertAddress(kindOfHost: KindOfHost, url: string): Promise<void> {
  const { hostname } = new URL(url);
  const kind = await kindOfHost(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (kind === 'forbidden') throw fieldError('url', 'INVALID');
  if (isInsecure(url) && kind !== 'private') throw fieldError('url', 'ADDRESS_INSECURE');
}
