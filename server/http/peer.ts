import ipaddr from 'ipaddr.js';
import { splitHost, type VisitedAddress } from '#shared/access.ts';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** From where and at which address a request reached us, as the socket and trusted proxies say. */
export interface Peer {
  /** The visitor's address in its canonical form (IPv4-mapped IPv6 becomes IPv4); `unknown` when the socket gave none. */
  readonly address: string;
  /** The visitor is on this machine. */
  readonly loopback: boolean;
  readonly reached: VisitedAddress;
  /** The Origin that a browser sends from pages at this address. */
  readonly origin: string;
}

/** An IPv4 address in the usual notation: four decimal parts, no octal, no hexadecimal. */
const FOUR_PARTS = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){3}$/;

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = text.trim().replaceAll(/^\[|\](:\d+)?$/g, '');
  const plain = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare) ? bare.replace(/:\d+$/, '') : bare;
  if (!plain.includes(':') && !FOUR_PARTS.test(plain)) return null;
  try {
    return ipaddr.process(plain);
  } catch {
    return null;
  }
}

/** A parsed address. */
interface Address {
  /** In its canonical form. */
  readonly text: string;
  readonly loopback: boolean;
  readonly trusted: boolean;
}

/** Most addresses that are cached (attacks T52), and the most characters of one. */
const MAX_CACHED = 10_000;
const MAX_CACHED_LENGTH = 64;

/**
 * Parses addresses and caches the results: browsers come from the same address again and again, and parsing is a fifth
 * of the cost of a call. In: networks of trusted proxies. Out: a function that parses an address as it was sent; null
 * where it is none.
 */
function addressReader(networks: readonly Network[]): (text: string) => Address | null {
  const cache = new Map<string, Address | null>();
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits));
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const ip = parseAddress(text);
    const address = ip && { text: ip.toString(), loopback: ip.range() === 'loopback', trusted: isTrusted(ip) };
    if (cache.size >= MAX_CACHED) cache.clear();
    if (text.length <= MAX_CACHED_LENGTH) cache.set(text, address);
    return address;
  };
}

/**
 * Reads who sent a request from its socket and, only where the socket's other end is a trusted proxy, from its headers:
 * the rightmost hop of X-Forwarded-For that is not itself trusted, X-Forwarded-Proto and X-Forwarded-Host (attacks
 * T18). In: addresses or networks of trusted proxies. Throws Error for one that is neither.
 */
export function peerReader(
  trusted: readonly string[],
): (request: Pick<Request, 'url' | 'headers'>, socketAddress: string | null) => Peer {
  const readAddress = addressReader(
    trusted.map((text) =>
      text.includes('/')
        ? ipaddr.parseCIDR(text)
        : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128],
    ),
  );

  return (request, socketAddress) => {
    const socket = socketAddress ? readAddress(socketAddress) : null;
    const headers = request.headers;
    const proxied = socket?.trusted === true;
    const hostHeader =
      (proxied && lastItem(headers.get('x-forwarded-host'))) || headers.get('host') || new URL(request.url).host;
    const protocol =
      (proxied && lastItem(headers.get('x-forwarded-proto'))?.toLowerCase()) ||
      (request.url.startsWith('https:') ? 'https' : 'http');
    const { hostname, port } = splitHost(hostHeader);
    const forwarded = proxied ? findVisitor(headers.get('x-forwarded-for'), readAddress) : null;
    return {
      address: (forwarded ?? socket)?.text ?? 'unknown',
      loopback: socket?.loopback === true && (forwarded === null || forwarded.loopback),
      reached: { protocol, hostname, port },
      origin: `${protocol}://${hostHeader.toLowerCase()}`,
    };
  };
}

function lastItem(list: string | null): string | undefined {
  return list?.split(',').at(-1)?.trim() || undefined;
}

/** The rightmost hop that is no trusted proxy; where all are, the leftmost. */
function findVisitor(list: string | null, readAddress: (text: string) => Address | null): Address | null {
  let visitor: Address | null = null;
  for (const hop of (list ?? '').split(',').toReversed()) {
    const address = readAddress(hop);
    if (!address) break;
    visitor = address;
    if (!address.trusted) break;
  }
  return visitor;
}

/** The key that rate limits count an address by: an IPv4 address, or the /64 of an IPv6 address (one household). */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parseAddress(address);
  if (!parsed) return address;
  return parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).toByteArray().slice(0, 8).join('.') : parsed.toString();
}
