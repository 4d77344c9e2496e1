import ipaddr from 'ipaddr.js';
import type { VpnProvider, Verdict } from '#server/modules/abuse/index.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import { readBounded } from './body.ts';

/** Failures in a row after which nobody is asked for a minute. */
const FAILURES = 5;
const PAUSE_MS = MINUTE;
const TIMEOUT_MS = 2_000;
const BODY_MAX = 64 * 1024;

interface Deps {
  readonly settings: { current(): SettingValues };
  readonly clock: Clock;
  readonly log: Log;
  /** `fetch`, or what stands for it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * A VPN look-up by URL (services, vpn): a template with `{ip}` and perhaps `{key}`, the key otherwise in a header,
 * paths into the answer's JSON and the value that means yes. Whatever is not a clear yes or no is `unknown`; the status
 * line alone decides nothing. The key stands in no log.
 */
export function createVpnProvider({ settings, clock, log, fetch }: Deps): VpnProvider {
  let failures = 0;
  let pausedUntil = 0;

  async function ask(address: string): Promise<Verdict> {
    const values = settings.current();
    if (values.vpn_provider_url === '' || clock.now() < pausedUntil) return 'unknown';
    const verdict = await call(values, address).catch((error: unknown) => {
      log.warn('vpn.unreachable', { error: error instanceof Error ? error.name : 'unknown' });
      return 'unknown' as const;
    });
    failures = verdict === 'unknown' ? failures + 1 : 0;
    if (failures >= FAILURES) {
      pausedUntil = clock.now() + PAUSE_MS;
      failures = 0;
      log.warn('vpn.paused', { for_ms: PAUSE_MS });
    }
    return verdict;
  }

  async function call(values: SettingValues, address: string): Promise<Verdict> {
    const {
      vpn_provider_url: template,
      vpn_provider_key: key,
      vpn_provider_header: header,
      vpn_provider_paths: paths,
      vpn_provider_value: wanted,
    } = values;
    const url = template.replaceAll('{ip}', encodeURIComponent(address)).replaceAll('{key}', encodeURIComponent(key));
    const headers = { Accept: 'application/json', ...(header !== '' && key !== '' ? { [header]: key } : {}) };
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return verdictIn(JSON.parse(await readBounded(response, BODY_MAX)), {
      address,
      paths: paths
        .split(',')
        .map((path) => path.trim())
        .filter(Boolean),
      wanted,
    });
  }

  return { ask };
}

/**
 * What an answer says. One path with the wanted value is a yes; a no needs a value, that is none of null, at every
 * path. In a path `{ip}` stands for the member named by the address we asked about, however it is written (attacks T20:
 * an answer about another address says nothing).
 */
export function verdictIn(
  answer: unknown,
  { address, paths, wanted }: { address: string; paths: readonly string[]; wanted: string },
): Verdict {
  if (paths.length === 0) return 'unknown';
  const values = paths.map((path) => path.split('.').reduce<unknown>((at, name) => member(at, name, address), answer));
  if (values.some((value) => isValue(value) && String(value) === wanted)) return 'vpn';
  return values.every(isValue) ? 'clean' : 'unknown';
}

function isValue(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function member(at: unknown, name: string, address: string): unknown {
  if (typeof at !== 'object' || at === null) return undefined;
  const key = name === '{ip}' ? Object.keys(at).find((each) => sameAddress(each, address)) : name;
  return key === undefined ? undefined : Object.getOwnPropertyDescriptor(at, key)?.value;
}

function sameAddress(a: string, b: string): boolean {
  if (!ipaddr.isValid(a) || !ipaddr.isValid(b)) return false;
  return ipaddr.process(a).toNormalizedString() === ipaddr.process(b).toNormalizedString();
}
