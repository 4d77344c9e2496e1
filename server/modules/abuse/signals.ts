import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { networkOf } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { Signal, SignalKind } from './ports.ts';
import type { Vpn } from './vpn.ts';

/** What a request tells about its user. */
interface Observation {
  readonly userId: string;
  readonly sessionId: string;
  /** Decided from trusted proxies only (attacks T18). */
  readonly address: string;
  /** The browser's device cookie; null where it sent none. */
  readonly device: string | null;
}

/** The same sighting is written down at most so often. */
const AGAIN_MS = 10 * MINUTE;
/** Sightings kept in memory (attacks T52). */
const KNOWN_MAX = 50_000;
/** A browser that loaded what ad-blockers keep away may earn for so long; its answer is good for so long. */
const ADS_GOOD_MS = HOUR;
const ADS_TOKEN_MS = 2 * MINUTE;

/**
 * Collects what the score is made of (behaviour 4.6). Everything personal is stored as a keyed hash, and forgotten
 * after `abuse_signal_days`.
 */
export function createSignals(deps: AbuseDeps, vpn: Vpn, changed: (userId: string) => void) {
  const { uow, clock, keyed } = deps;
  const known = new Map<string, { what: string; atMs: number }>();

  const hashed = (kind: SignalKind, text: string): Signal => ({ kind, value: keyed.mac(`signal.${kind}`, text) });

  /** Notes where and with what a session is used. Cheap where nothing is new: then nothing is awaited. */
  function observe(seen: Observation): Promise<void> | undefined {
    const now = clock.now();
    const what = `${seen.address} ${seen.device} ${vpn.version()}`;
    const last = known.get(seen.sessionId);
    if (last?.what === what && now - last.atMs < AGAIN_MS) return undefined;
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(seen.sessionId, { what, atMs: now });
    return write(seen, now).catch((error: unknown) => {
      // The next request of the session tries again.
      known.delete(seen.sessionId);
      throw error;
    });
  }

  /** What an address and a device are as signals. */
  function signalsOf(place: ReturnType<typeof placeOf>, device: string | null): Signal[] {
    return [...(place ? [hashed(place.kind, place.text)] : []), ...(device ? [hashed('device', device)] : [])];
  }

  /** Notes from where and with what an account is registered, in the transaction that makes it. */
  async function noteRegistration(tx: Tx, { userId, address, device }: Omit<Observation, 'sessionId'>): Promise<void> {
    await tx.abuse.note(userId, signalsOf(placeOf(address), device), clock.now());
  }

  async function write({ userId, address, device }: Observation, now: number): Promise<void> {
    const place = placeOf(address);
    await uow.run(async (tx) => {
      await tx.abuse.note(userId, signalsOf(place, device), now);
      if (place) await vpn.enqueueLookup(tx, address, hashed(place.kind, place.text).value);
    });
    changed(userId);
  }

  /** Notes means of payment (a fingerprint that the gateway tells). For the module that books payments. */
  async function notePayment(tx: Tx, userId: string, fingerprint: string): Promise<void> {
    await tx.abuse.note(userId, [hashed('payment', fingerprint)], clock.now());
    changed(userId);
  }

  /** Notes accounts elsewhere: they are compared for as long as signals are kept, also after they were unlinked. */
  function noteIdentities(
    tx: Tx,
    userId: string,
    links: readonly { provider: string; subject: string }[],
  ): Promise<void> {
    return tx.abuse.note(
      userId,
      links.map(({ provider, subject }) => hashed('identity', `${provider}:${subject}`)),
      clock.now(),
    );
  }

  /** What the bait holds: it proves for two minutes that this session's browser was given it. */
  function adsToken(ctx: SignedIn): string {
    const at = clock.now().toString(36);
    return `${at}.${keyed.mac('ads.token', `${ctx.actor.sessionId}.${at}`)}`;
  }

  /**
   * Takes what the bait held. Throws AD_BLOCKER for anything else: a browser's own word that it blocks nothing counts
   * for nothing (attacks T20).
   */
  async function confirmAds(ctx: SignedIn, token: string): Promise<void> {
    const [at = '', mac] = token.split('.');
    const age = clock.now() - Number.parseInt(at, 36);
    if (!(age >= 0 && age <= ADS_TOKEN_MS) || mac !== keyed.mac('ads.token', `${ctx.actor.sessionId}.${at}`))
      throw new DomainError('AD_BLOCKER');
    await uow.run((tx) => tx.abuse.note(ctx.actor.userId, [hashed('ads', ctx.actor.sessionId)], clock.now()));
  }

  /**
   * Lets a command pass that earns. Throws AD_BLOCKER where the check is on and this session's browser did not load the
   * bait within the hour.
   */
  async function requireAds(ctx: SignedIn): Promise<void> {
    if (!deps.settings.current().adblock_check || can(ctx.actor.permissions, 'user.permission.adblocker')) return;
    const seen = await uow.read((tx) => tx.abuse.seen(ctx.actor.userId, 'ads', clock.now() - ADS_GOOD_MS));
    if (!seen.includes(hashed('ads', ctx.actor.sessionId).value)) throw new DomainError('AD_BLOCKER');
  }

  /** Hashes of the places a user was seen at since a moment, the latest first. */
  async function places(tx: Tx, userId: string, sinceMs: number): Promise<string[]> {
    return [...(await tx.abuse.seen(userId, 'address', sinceMs)), ...(await tx.abuse.seen(userId, 'network', sinceMs))];
  }

  return { observe, noteRegistration, notePayment, noteIdentities, adsToken, confirmAds, requireAds, places };
}
export type Signals = ReturnType<typeof createSignals>;

/** What counts as one place: an IPv4 address, or the /64 of an IPv6 address. Null for no address at all. */
function placeOf(address: string): { kind: 'address' | 'network'; text: string } | null {
  if (address === '' || address === 'unknown') return null;
  const text = networkOf(address);
  return { kind: text.includes(':') ? 'network' : 'address', text };
}
