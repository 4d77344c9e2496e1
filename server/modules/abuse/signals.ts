import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { networkOf } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { LinkedIdentity, Signal, SignalKind } from './ports.ts';
import type { Vpn } from './vpn.ts';

/** What a request reveals about its user. */
interface Observation {
  readonly userId: string;
  readonly sessionId: string;
  /** Decided from trusted proxies only (attacks T18). */
  readonly address: string;
  /** The browser's device cookie; null when it sent none. */
  readonly device: string | null;
}

/** The same sighting is stored at most this often. */
const SIGHTING_INTERVAL_MS = 10 * MINUTE;
/** Sightings kept in memory (attacks T52). */
const MAX_REMEMBERED = 50_000;
/** How long a browser that loaded the bait may earn, and how long the bait's token is valid, in ms. */
const ADS_VALID_MS = HOUR;
const ADS_TOKEN_MS = 2 * MINUTE;

/**
 * Collects what the score is made of (behaviour 4.6). Everything personal is stored as a keyed hash, and forgotten
 * after `abuse_signal_days`.
 */
export function createSignals(deps: AbuseDeps, vpn: Vpn, onChange: (userId: string) => void) {
  const { uow, clock, keyed } = deps;
  const sightings = new Map<string, { what: string; atMs: number }>();

  const toSignal = (kind: SignalKind, text: string) => signalOf(keyed, kind, text);

  /** Records the address and device of a session. Returns undefined, without waiting, when nothing is new. */
  function observe(seen: Observation): Promise<void> | undefined {
    const now = clock.now();
    const what = `${seen.address} ${seen.device} ${vpn.version()}`;
    const last = sightings.get(seen.sessionId);
    if (last?.what === what && now - last.atMs < SIGHTING_INTERVAL_MS) return undefined;
    if (sightings.size >= MAX_REMEMBERED) sightings.clear();
    sightings.set(seen.sessionId, { what, atMs: now });
    return storeSighting(seen, now).catch((error: unknown) => {
      // The next request of the session tries again.
      sightings.delete(seen.sessionId);
      throw error;
    });
  }

  /** The signals of an address and a device. */
  function signalsOf(place: ReturnType<typeof placeOf>, device: string | null): Signal[] {
    return [...(place ? [toSignal(place.kind, place.text)] : []), ...(device ? [toSignal('device', device)] : [])];
  }

  /** Records the address and device of a registration, in the transaction that creates the account. */
  async function recordRegistration(
    tx: Tx,
    { userId, address, device }: Omit<Observation, 'sessionId'>,
  ): Promise<void> {
    await tx.abuse.recordSignals(userId, signalsOf(placeOf(address), device), clock.now());
  }

  async function storeSighting({ userId, address, device }: Observation, now: number): Promise<void> {
    const place = placeOf(address);
    await uow.run(async (tx) => {
      await tx.abuse.recordSignals(userId, signalsOf(place, device), now);
      if (place) await vpn.enqueueLookup(tx, address, toSignal(place.kind, place.text).value);
    });
    onChange(userId);
  }

  /** Records a means of payment (the gateway's fingerprint), for the payments module. */
  async function recordPaymentMeans(tx: Tx, userId: string, fingerprint: string): Promise<void> {
    await tx.abuse.recordSignals(userId, [toSignal('payment', fingerprint)], clock.now());
    onChange(userId);
  }

  /** Records linked accounts: they are compared as long as signals are kept, even after they were unlinked. */
  function recordIdentities(tx: Tx, userId: string, links: readonly LinkedIdentity[]): Promise<void> {
    return tx.abuse.recordSignals(
      userId,
      links.map(({ provider, subject }) => toSignal('identity', `${provider}:${subject}`)),
      clock.now(),
    );
  }

  /** The token in the bait: proves for two minutes that this session's browser loaded it. */
  function createAdsToken(ctx: SignedIn): string {
    const at = clock.now().toString(36);
    return `${at}.${keyed.mac('ads.token', `${ctx.actor.sessionId}.${at}`)}`;
  }

  /**
   * Accepts the token of the bait. Throws AD_BLOCKER for anything else: a browser's claim that it blocks nothing is not
   * trusted (attacks T20).
   */
  async function confirmAds(ctx: SignedIn, token: string): Promise<void> {
    const [at = '', mac] = token.split('.');
    const age = clock.now() - Number.parseInt(at, 36);
    if (!(age >= 0 && age <= ADS_TOKEN_MS) || mac !== keyed.mac('ads.token', `${ctx.actor.sessionId}.${at}`))
      throw new DomainError('AD_BLOCKER');
    await uow.run((tx) =>
      tx.abuse.recordSignals(ctx.actor.userId, [toSignal('ads', ctx.actor.sessionId)], clock.now()),
    );
  }

  /**
   * Asserts that the caller may earn: throws AD_BLOCKER when the check is on and this session's browser has not loaded
   * the bait within the hour.
   */
  async function assertAdsLoaded(ctx: SignedIn): Promise<void> {
    if (!deps.settings.current().adblock_check || can(ctx.actor.permissions, 'user.permission.adblocker')) return;
    const seen = await uow.read((tx) => tx.abuse.listSeen(ctx.actor.userId, 'ads', clock.now() - ADS_VALID_MS));
    if (!seen.includes(toSignal('ads', ctx.actor.sessionId).value)) throw new DomainError('AD_BLOCKER');
  }

  return {
    observe,
    recordRegistration,
    recordPaymentMeans,
    recordIdentities,
    createAdsToken,
    confirmAds,
    assertAdsLoaded,
  };
}
export type Signals = ReturnType<typeof createSignals>;

/** Hashes of the places a user was seen at since `sinceMs`, latest first. */
export async function listPlaces(tx: Tx, userId: string, sinceMs: number): Promise<string[]> {
  return [
    ...(await tx.abuse.listSeen(userId, 'address', sinceMs)),
    ...(await tx.abuse.listSeen(userId, 'network', sinceMs)),
  ];
}

/** A signal: its kind, and what is compared, under the installation's key. */
function signalOf(keyed: AbuseDeps['keyed'], kind: SignalKind, text: string): Signal {
  return { kind, value: keyed.mac(`signal.${kind}`, text) };
}

/**
 * The signal that whoever came from an address left behind (an IPv6 address: from its /64), as it is compared; null for
 * no address.
 */
export function placeSignalOf(keyed: AbuseDeps['keyed'], address: string): Signal | null {
  const place = placeOf(address);
  return place && signalOf(keyed, place.kind, place.text);
}

/** Tells an address that is a VPN's as far as is known here: by the host's lists, or by what its provider said lately. */
export function createKnownVpn({ uow, keyed }: Pick<AbuseDeps, 'uow' | 'keyed'>, vpn: Vpn) {
  return async (address: string): Promise<boolean> => {
    if (vpn.isListed(address)) return true;
    const place = placeOf(address);
    if (!place) return false;
    const { value } = signalOf(keyed, place.kind, place.text);
    return (await uow.read((tx) => vpn.findVerdict(tx, async () => [value]))) === 'vpn';
  };
}

/** What counts as one place: an IPv4 address, or the /64 of an IPv6 address. Null for no address at all. */
function placeOf(address: string): { kind: 'address' | 'network'; text: string } | null {
  if (address === '' || address === 'unknown') return null;
  const text = networkOf(address);
  return { kind: text.includes(':') ? 'network' : 'address', text };
}
