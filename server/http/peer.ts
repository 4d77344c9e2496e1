import ipaddr from 'ipaddr.js';
import { splitHost, type Reached } from '#shared/access.ts';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** How and from where a request came, after trusted proxies had their say. */
export interface Peer {
  /** The visitor's address in its plain form (IPv4-mapped IPv6 becomes IPv4); `unknown` when the socket told none. */
  readonly address: string;
  /** The socket's other end is this machine. */
  readonly loopback: boolean;
  readonly reached: Reached;
  /** Origin that a browser would send for this address. */
  readonly origin: string;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = text.trim().replaceAll(/^\[|\](:\d+)?$/g, '');
  const plain = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare) ? bare.replace(/:\d+$/, '') : bare;
  return ipaddr.isValid(plain) && (plain.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(plain))
    ? ipaddr.process(plain)
    : null;
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

  const read = (request: Request, socketAddress: string | null): Peer => {
    const socket = socketAddress ? parse(socketAddress) : null;
    const headers = request.headers;
    const proxied = socket !== null && isTrusted(socket);
    const url = new URL(request.url);
    const hostHeader = (proxied && last(headers.get('x-forwarded-host'))) || headers.get('host') || url.host;
    const protocol =
      (proxied && last(headers.get('x-forwarded-proto'))?.toLowerCase()) || url.protocol.replace(':', '');
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
  // A visitor's requests come the same way one after the other, and reading addresses takes longer than all else about
  // them.
  const known = new Map<string | null, Way>();
  return (request, socketAddress) => {
    const { headers, url } = request;
    const chain = headers.get('x-forwarded-for');
    const who = chain ?? socketAddress;
    const way = known.get(who);
    const host = headers.get('host') ?? originOf(url);
    const forwardedHost = headers.get('x-forwarded-host');
    const forwardedProto = headers.get('x-forwarded-proto');
    const secure = url.startsWith('https:');
    if (
      way !== undefined &&
      way.host === host &&
      way.socket === socketAddress &&
      way.secure === secure &&
      way.forwardedHost === forwardedHost &&
      way.forwardedProto === forwardedProto &&
      way.chain === chain
    )
      return way.peer;
    const peer = read(request, socketAddress);
    if (known.size >= KNOWN_MAX) known.clear();
    const length = host.length + (chain?.length ?? 0) + (forwardedHost?.length ?? 0) + (forwardedProto?.length ?? 0);
    if (length <= WAY_MAX)
      known.set(who, { chain, socket: socketAddress, host, forwardedHost, forwardedProto, secure, peer });
    return peer;
  };
}

/** The way a visitor came last, and who that made them. */
interface Way {
  readonly chain: string | null;
  readonly socket: string | null;
  readonly host: string;
  readonly forwardedHost: string | null;
  readonly forwardedProto: string | null;
  readonly secure: boolean;
  readonly peer: Peer;
}

/** Visitors whose way in is remembered, and the most characters of it: together they bound the memory (attacks T52). */
const KNOWN_MAX = 5000;
const WAY_MAX = 500;

function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2));
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
