import { isIP } from 'node:net';
import { kindOfAddress } from './addresses.ts';
import type { HostKind, KindOfHost } from './modules/panels/index.ts';
import {
  callAt,
  hostOf,
  OutboundRefused,
  resolveAll,
  within,
  type Fetch,
  type Outbound,
  type Resolve,
} from './outbound.ts';

/**
 * The worst of what stands behind a name: one address that is none for anybody is enough, and one of the internet makes
 * it no private network.
 */
function worstOf(addresses: readonly string[]): HostKind {
  const kinds = addresses.map(kindOfAddress);
  if (kinds.length === 0) return 'unknown';
  return kinds.find((kind) => kind === 'forbidden') ?? kinds.find((kind) => kind === 'public') ?? 'private';
}

/**
 * Looks up what stands behind the host of a panel's address. Never rejects. In: the machine's resolver unless a test
 * has another.
 */
export function createKindOfHost(resolve: Resolve = resolveAll): KindOfHost {
  return async (host) => {
    try {
      return worstOf(isIP(host) ? [host] : await resolve(host));
    } catch {
      return 'unknown';
    }
  };
}

/** A call that was not made; by their codes the transport knows that nothing was sent. */
const unsent = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/**
 * The way to panels (attacks T26, T44), which may stand in private networks. A name may lead elsewhere tomorrow: before
 * each call it is looked up, and the call goes to an address that was looked at. Without encryption only to private
 * networks; nowhere that no panel can be. Redirects are never followed.
 */
export function createPanelFetch(resolve: Resolve = resolveAll, fetch?: Fetch): Outbound {
  return async (url, init) => {
    const target = new URL(url);
    const host = hostOf(target);
    const named = isIP(host) === 0;
    const addresses = named
      ? await within(
          resolve(host).catch((): string[] => []),
          init.signal ?? null,
        )
      : [host];
    const kind = worstOf(addresses);
    if (kind === 'unknown') throw unsent('ENOTFOUND', 'the name of the panel leads nowhere');
    if (target.protocol !== 'https:' && kind !== 'private')
      throw unsent('ERR_TLS_REQUIRED', 'the panel is reached without encryption and is not in a private network');
    if (kind === 'forbidden') throw new OutboundRefused('no panel can stand at this address');
    return callAt(target, named ? addresses : null, { ...init, redirect: 'manual' }, fetch);
  };
}
