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

/** An address, and what is known of it. */
interface Address {
  /** In its plain form. */
  readonly text: string;
  readonly loopback: boolean;
  readonly trusted: boolean;
}

/** Addresses that stay parsed, at most (attacks T52), and the length of the longest that is worth it. */
const MAX_PARSED = 10_000;
const MAX_LENGTH = 64;

/**
 * Parses addresses, each once: a browser comes from the same one again and again, and parsing is a fifth of what a call
 * costs. In: networks of trusted proxies. Out: a function from an address as it was sent to what is known of it; null
 * where it is none.
 */
function addressReader(networks: readonly Network[]): (text: string) => Address | null {
  const parsed = new Map<string, Address | null>();
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits));
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const ip = parse(text);
    const address = ip && { text: ip.toString(), loopback: ip.range() === 'loopback', trusted: isTrusted(ip) };
    if (parsed.size >= MAX_PARSED) parsed.clear();
    if (text.length <= MAX_LENGTH) parsed.set(text, address);
    return address;
  };
}

/**
 * Decides addresses from the socket and, only when the socket's other end is a trusted proxy, from its headers: the
 * rightmost hop of X-Forwarded-For that is not itself trusted, X-Forwarded-Proto and X-Forwarded-Host (attacks T18).
 * In: addresses or networks of trusted proxies. Invalid ones throw.
 */
export function peerReader(trusted: readonly string[]): (request: Request, socketAddress: string | null) => Peer {
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
      (proxied && last(headers.get('x-forwarded-host'))) || headers.get('host') || new URL(request.url).host;
    const protocol =
      (proxied && last(headers.get('x-forwarded-proto'))?.toLowerCase()) ||
      (request.url.startsWith('https:') ? 'https' : 'http');
    const { hostname, port } = splitHost(hostHeader);
    const forwarded = proxied ? visitor(headers.get('x-forwarded-for'), readAddress) : null;
    return {
      address: (forwarded ?? socket)?.text ?? 'unknown',
      loopback: socket?.loopback === true && (forwarded === null || forwarded.loopback),
      reached: { protocol, hostname, port },
      origin: `${protocol}://${hostHeader.toLowerCase()}`,
    };
  };
}

function last(list: string | null): string | undefined {
  return list?.split(',').at(-1)?.trim() || undefined;
}

/** The rightmost hop that is no trusted proxy; where all are, the leftmost. */
function visitor(list: string | null, readAddress: (text: string) => Address | null): Address | null {
  let found: Address | null = null;
  for (const hop of (list ?? '').split(',').toReversed()) {
    const address = readAddress(hop);
    if (!address) break;
    found = address;
    if (!address.trusted) break;
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
