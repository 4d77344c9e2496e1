import { lookup } from 'node:dns/promises';
import type { SettingValues } from '#shared/settings.ts';
import { kindOfAddress } from './addresses.ts';
import type { Log } from './modules/kernel.ts';

/** `fetch` as the clients of outside services take it. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;
/** The runtime's own `fetch`, with whose name a certificate has to be. */
export type Fetch = (
  url: string,
  init: RequestInit & { readonly tls?: { readonly serverName: string } },
) => Promise<Response>;

/** Every address of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A call that was not made: its address is none that this machine may ask. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

interface Deps {
  readonly settings: { current(): Pick<SettingValues, 'outbound_private_networks'> };
  readonly log: Log;
  /** The machine's resolver when absent. */
  readonly resolve?: Resolve;
  /** The machine's own when absent. */
  readonly fetch?: Fetch;
}

/** The machine's own resolver. Throws as it does. */
export const resolveAll = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The one way to services elsewhere (attacks T44). Base addresses are settings, so each is looked at before it is
 * asked: HTTP only, nobody's name in it, and every address behind the host name on the open internet, unless the
 * setting `outbound_private_networks` lets the host's own networks in; where clouds keep their machines' keys, never. A
 * name is resolved once: the call goes to an address that was looked at. Redirects are never followed. Throws
 * OutboundRefused; what the network does is thrown as by `fetch`.
 */
export function createOutbound({ settings, log, resolve = resolveAll, fetch }: Deps): Outbound {
  /** Where a call may go: the addresses behind its name, or null where it goes by the name or address that it has. */
  async function resolveTarget(url: string): Promise<{ target: URL; addresses: readonly string[] | null }> {
    const target = URL.parse(url);
    if (
      target === null ||
      !['https:', 'http:'].includes(target.protocol) ||
      target.username !== '' ||
      target.password !== ''
    )
      throw refused(target?.hostname ?? '');
    const own = settings.current().outbound_private_networks;
    const host = hostOf(target);
    const named = !isAddress(host);
    const addresses = named ? await resolve(host) : [host];
    // One that is not public is enough: a name that leads inside as well is nobody's service.
    const kinds = addresses.map(kindOfAddress);
    if (kinds.length === 0 || kinds.some((kind) => kind === 'forbidden' || (kind === 'private' && !own)))
      throw refused(host);
    return { target, addresses: named ? addresses : null };
  }

  function refused(host: string): OutboundRefused {
    log.warn('outbound.refused', { host });
    return new OutboundRefused('the address is not on the open internet');
  }

  return async (url, init) => {
    const { target, addresses } = await within(resolveTarget(url), init.signal ?? null);
    return callAt(target, addresses, { ...init, redirect: init.redirect === 'manual' ? 'manual' : 'error' }, fetch);
  };
}

/** The host of a URL as resolvers take it: an IPv6 address without its brackets. */
export function hostOf(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Makes a call that was looked at: at one of the addresses behind the name, the next one where no connection comes
 * about; null: by the address that the URL itself has. The only place of the product that calls `fetch` for a service
 * elsewhere. Throws as `fetch`.
 */
export async function callAt(
  target: URL,
  addresses: readonly string[] | null,
  init: RequestInit,
  fetch: Fetch = (url, own) => globalThis.fetch(url, own),
): Promise<Response> {
  if (addresses === null) return fetch(target.href, init);
  const unreached: unknown[] = [];
  for (const address of addresses) {
    try {
      return await fetch(...pinned(target, address, init));
    } catch (error) {
      // Nothing was sent where no connection came about: then the next address is asked, as by a client that resolves
      // names itself.
      if (!isUnreached(error)) throw error;
      unreached.push(error);
    }
  }
  throw unreached[0];
}

/**
 * A call by an address in place of its name: a name server that answers otherwise by now is not asked again. The
 * service still reads its own name, and a certificate has to be for it. Not on a connection that was kept, which may be
 * another name's.
 */
function pinned(target: URL, address: string, init: RequestInit): Parameters<Fetch> {
  const at = new URL(target);
  at.hostname = address.includes(':') ? `[${address}]` : address;
  const headers = new Headers(init.headers);
  headers.set('Host', target.host);
  return [at.href, { ...init, headers, keepalive: false, tls: { serverName: target.hostname } }];
}

/** Whether no connection came about: the runtime's codes of it. */
function isUnreached(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREACHED.has(String(error.code));
}
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
]);

/** Whether a host name of a URL is an address: the parser has brought every spelling of one into this form. */
function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host);
}

/** Work that a caller's time limit ends too: names are resolved without one. */
export function within<T>(work: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const end = () =>
      reject(signal.reason instanceof Error ? signal.reason : new OutboundRefused('the call was given up'));
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
