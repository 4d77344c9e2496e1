import * as z from 'zod/mini';
import type { CallInfo } from './implement.types.ts';
import { peerReader, type Peer } from './peer.ts';

/** How a request arrived, before anybody says whom of those it passed is believed. */
const arrival = z.object({
  /** Address of the other end of its connection; null where it has none. */
  socket: z.nullable(z.string()),
  /** Its address without path and query, which may hold secrets. */
  url: z.string(),
  headers: z.record(z.string(), z.string()),
});
type Arrival = z.infer<typeof arrival>;

/** The header in which one of our own processes says how the request that it asks for arrived. */
export const ARRIVAL_HEADER = 'x-arrival';
/** Headers that say from where a request came and at which address. */
const HEADERS = ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/** How a request arrived. In: the request, and the address of its connection. */
export function arrivalOf(request: Request, socket: string | null): Arrival {
  const headers: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { socket, url: new URL(request.url).origin, headers };
}

/** How a request that arrived so is read. In: that, and whether a peer is kept out by the access check. */
export function readingAs(
  { socket, url, headers }: Arrival,
  isBlocked: (peer: Peer) => boolean,
): NonNullable<CallInfo['readAs']> {
  return (proxies) => {
    const peer = peerReader(proxies)({ url, headers: new Headers(headers) }, socket);
    return { address: peer.address, origin: peer.origin, blocked: isBlocked(peer) };
  };
}

/** The value of the header for an arrival. */
export const writeArrival = (about: Arrival): string => encodeURIComponent(JSON.stringify(about));

/** The arrival that the header's value says. */
export const parseArrival = (header: string): Arrival => arrival.parse(JSON.parse(decodeURIComponent(header)));
