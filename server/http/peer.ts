import ipaddr from 'ipaddr.js';
import { splitHost, type VisitedAddress } from '#shared/access.ts';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** How and from where a request came, after trusted proxies had their say. */
export interface Peer {
  /** The visitor's address in its plain form (IPv4-mapped IPv6 becomes IPv4); `unknown` when the socket gave none. */
  readonly address: string;
  /** The socket's other end is this machine. */
  readonly loopback: boolean;
  readonly reached: VisitedAddress;
  /** Origin that a browser would send for this address. */
  readonly origin: string;
}

/** An IPv4 address as everybody writes it: no octal, no hexadecimal, no part left out. */
const FOUR_PARTS = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){3}$/;

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = text.trim().replaceAll(/^\[|\](:\d+)?$/g, '');
  const plain = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare) ? bare.replace(/:\d+$/, '') : bare;
  if (!plain.includes(':') && !FOUR_PARTS.test(plain)) return null;
  try {
    return ipaddr.process(plain);
  } catch {
    return null;
  }
}

/**
 * Decides addresses from the socket and, only when the socket's other end is a trusted proxy, from its headers: the
 * rightmost hop of X-Forwarded-For that is not itself trusted, X-Forwarded-Proto and X-Forwarded-Host (attacks T18).
 * In: addresses or networks of trusted proxies. Invalid ones throw.
 */
export function peerReader(trusted: readonly string[]): (request: Request, socketAddress: string | null) => Peer {
  const networks: Network[] = trusted.map((text) =>
    text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128],
  );
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits));

  return (request, socketAddress) => {
    const socket = socketAddress ? parse(socketAddress) : null;
    const headers = request.headers;
    const proxied = socket !== null && isTrusted(socket);
    const hostHeader =
      (proxied && last(headers.get('x-forwarded-host'))) || headers.get('host') || new URL(request.url).host;
    const protocol =
      (proxied && last(headers.get('x-forwarded-proto'))?.toLowerCase()) ||
      (request.url.startsWith('https:') ? 'https' : 'http');
    const { hostname, port } = splitHost(hostHeader);
    const forwarded = proxied ? visitor(headers.get('x-forwarded-for'), isTrusted) : null;
    return {
      address: (forwarded ?? socket)?.toString() ?? 'unknown',
      loopback:
        socket !== null && socket.range() === 'loopback' && (forwarded === null || forwarded.range() === 'loopback'),
      reached: { protocol, hostname, port },
      origin: `${protocol}://${hostHeader.toLowerCase()}`,
    };
  };
}

function last(list: string | null): string | undefined {
  return list?.split(',').at(-1)?.trim() || undefined;
}

function visitor(
  list: string | null,
  isTrusted: (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean,
): ipaddr.IPv4 | ipaddr.IPv6 | null {
  let found: ipaddr.IPv4 | ipaddr.IPv6 | null = null;
  for (const hop of (list ?? '').split(',').toReversed()) {
    const address = parse(hop);
    if (!address) break;
    found = address;
    if (!isTrusted(address)) break;
  }
  return found;
}

/** What rate limits count: an IPv4 address, or the /64 of an IPv6 address (one household). */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parse(address);
  if (!parsed) return address;
  return parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).toByteArray().slice(0, 8).join('.') : parsed.toString();
}
