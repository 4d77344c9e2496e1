import { lookup } from 'node:dns/promises';
import type { SettingValues } from '#shared/settings.ts';
import { networks } from './abuse/networks.ts';
import type { Log } from './modules/kernel.ts';

/** `fetch` as the clients of outside services take it. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;

/** A call that was not made: its address is none that this machine may ask. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

interface Deps {
  readonly settings: { current(): Pick<SettingValues, 'outbound_private_networks'> };
  readonly log: Log;
  /** Every address of a host name; the machine's resolver when absent. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** The machine's own when absent. */
  readonly fetch?: Outbound;
}

const resolveAll = async (host: string): Promise<string[]> => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The one way to services elsewhere (attacks T44). Base addresses are settings, so each is looked at before it is asked: HTTP only, nobody's
 * name in it, and every address behind the host name on the open internet, unless the setting `outbound_private_networks` lets the host's own
 * networks in. Redirects are never followed. Throws OutboundRefused; what the network does is thrown as by `fetch`.
 */
export function createOutbound({ settings, log, resolve = resolveAll, fetch = (url, init) => globalThis.fetch(url, init) }: Deps): Outbound {
  async function look(url: string): Promise<void> {
    const target = URL.parse(url);
    if (target === null || !['https:', 'http:'].includes(target.protocol) || target.username !== '' || target.password !== '') throw refused(target?.hostname ?? '');
    if (settings.current().outbound_private_networks) return;
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = isAddress(host) ? [host] : await resolve(host);
    // One that is not public is enough: which of them is asked is not ours to choose.
    if (addresses.length === 0 || !addresses.every((address) => networks.isPublic(address))) throw refused(host);
  }

  function refused(host: string): OutboundRefused {
    log.warn('outbound.refused', { host });
    return new OutboundRefused('the address is not on the open internet');
  }

  return async (url, init) => {
    await within(look(url), init.signal ?? null);
    return fetch(url, { ...init, redirect: init.redirect === 'manual' ? 'manual' : 'error' });
  };
}

/** Whether a host name of a URL is an address: the parser has brought every spelling of one into this form. */
function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host);
}

/** Work that a caller's time limit ends too: names are resolved without one. */
function within(work: Promise<void>, signal: AbortSignal | null): Promise<void> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason instanceof Error ? signal.reason : new OutboundRefused('the call was given up'));
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
