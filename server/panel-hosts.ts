import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networks } from './abuse/networks.ts';
import type { HostKind, KindOfHost } from './modules/panels/index.ts';
import type { Outbound } from './outbound.ts';

/** Every address of a host name. */
type Resolve = (host: string) => Promise<readonly string[]>;
const resolveAll: Resolve = async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Networks of one's own, this machine included: RFC 1918, RFC 6598 (carriers and overlay networks), RFC 4193. */
const OWN = new BlockList();
for (const [network, bits] of [['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16], ['100.64.0.0', 10], ['127.0.0.0', 8]] as const) OWN.addSubnet(network, bits, 'ipv4');
OWN.addSubnet('fc00::', 7, 'ipv6');
OWN.addAddress('::1', 'ipv6');

function kindOfAddress(address: string): HostKind {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (OWN.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')) return 'private';
  // What is neither (the segment's own addresses, where clouds keep their secrets, multicast, none at all) is nobody's panel.
  return networks.isPublic(bare) ? 'public' : 'forbidden';
}

/** Looks up what stands behind the host of a panel's address. Never rejects. In: the machine's resolver unless a test has another. */
export function createKindOfHost(resolve: Resolve = resolveAll): KindOfHost {
  return async (host) => {
    try {
      const kinds = (isIP(host) ? [host] : await resolve(host)).map(kindOfAddress);
      if (kinds.length === 0) return 'unknown';
      return kinds.find((kind) => kind === 'forbidden') ?? kinds.find((kind) => kind === 'public') ?? 'private';
    } catch {
      return 'unknown';
    }
  };
}

/** A call that was not made; by their codes the transport knows that nothing was sent. */
const unsent = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/**
 * `fetch` for panels (attacks T26). A name may lead elsewhere tomorrow: before each call without encryption it is looked at again, so that a
 * key goes to private networks only. Over TLS the certificate says who answers. Redirects are never followed.
 */
export function createPanelFetch(kindOfHost: KindOfHost, fetch: Outbound = (url, init) => globalThis.fetch(url, init)): Outbound {
  return async (url, init) => {
    const target = new URL(url);
    if (target.protocol !== 'https:') {
      const kind = await kindOfHost(target.hostname.replace(/^\[(.*)\]$/, '$1'));
      if (kind === 'unknown') throw unsent('ENOTFOUND', 'the name of the panel leads nowhere');
      if (kind !== 'private') throw unsent('ERR_TLS_REQUIRED', 'the panel is reached without encryption and is not in a private network');
    }
    return fetch(url, { ...init, redirect: 'manual' });
  };
}
