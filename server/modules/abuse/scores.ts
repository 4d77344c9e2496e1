import { can } from '#shared/permissions.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import { isDisposable } from './disposable.ts';
import type { LinkedIdentity } from './ports.ts';
import { computeScore, type ScoreFacts, type Score } from './score.ts';
import { listPlaces, type Signals } from './signals.ts';
import type { Vpn } from './vpn.ts';

/** How long a score is cached, in ms: AFK pays every minute. */
const MAX_AGE_MS = 5 * MINUTE;
/**
 * Accounts that appear on a device within this time, in ms, arrived together. Shorter than a school lesson, after which
 * a school's computer changes hands.
 */
const BURST_MS = 45 * MINUTE;
/** Scores kept in memory (attacks T52). */
const MAX_CACHED = 100_000;
/** Places of the last day count for the VPN check. */
const PLACES_MS = DAY;
/** Discord's ids begin with the time: milliseconds since then, above 22 other bits. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** Scores of users, cached for minutes, at most `max` of them. */
export function createScores(deps: AbuseDeps, max = MAX_CACHED) {
  const cache = new Map<string, { score: Score; atMs: number }>();
  return {
    forget: (userId: string): void => void cache.delete(userId),
    /** The score of a user. `fresh`: computed again, not from the cache. */
    async of(tx: Tx, userId: string, parts: { signals: Signals; vpn: Vpn }, fresh = false): Promise<Score> {
      const now = deps.clock.now();
      const last = cache.get(userId);
      // What is known of a new account changes by the minute.
      if (!fresh && last && !last.score.young && now - last.atMs < MAX_AGE_MS && last.atMs <= now) return last.score;
      const score = await loadScore(deps, tx, userId, parts);
      if (cache.size >= max) cache.clear();
      cache.set(userId, { score, atMs: now });
      return score;
    },
  };
}

async function loadScore(
  deps: AbuseDeps,
  tx: Tx,
  userId: string,
  { signals, vpn }: { signals: Signals; vpn: Vpn },
): Promise<Score> {
  const now = deps.clock.now();
  const values = deps.settings.current();
  const profile = await tx.abuse.findProfile(userId);
  const permissions = profile?.permissions ?? [];
  const links = (await deps.identities?.listByUser(tx, userId)) ?? [];
  if (links.length > 0) await signals.recordIdentities(tx, userId, links);
  const shared = await tx.abuse.countSharing(userId);
  const together = (seenMs: number, madeMs: number | null) =>
    (shared.device ?? 0) === 0 ? 0 : tx.abuse.countArrivedTogether(userId, { seenMs, madeMs });
  const device = await together(BURST_MS, null);
  const createdMs = profile?.createdMs ?? 0;
  const isThrowaway = (email: string) => isDisposable(email, values.abuse_disposable_domains);
  const disposableMail = profile !== null && isThrowaway(profile.email);
  // Who arrived with whom is queried only when it can add points.
  const around = device > 0 || disposableMail ? await tx.abuse.listJoinedAround(userId, DAY) : [];
  const withinHour = around.filter((other) => Math.abs(other.createdMs - createdMs) <= HOUR);
  const facts: ScoreFacts = {
    device,
    deviceDay: await together(DAY, DAY),
    deviceSpread: Math.max(0, (shared.device ?? 0) - device),
    joined: around.length,
    joinedShared:
      device === 0
        ? 0
        : await tx.abuse.countOnSharedDevices(
            withinHour.map(({ id }) => id),
            BURST_MS,
          ),
    joinedThrowaway: around.filter(({ email }) => isThrowaway(email)).length,
    joinedNow: withinHour.length,
    ageMs: now - createdMs,
    address: Math.max(shared.address ?? 0, shared.network ?? 0),
    identity: shared.identity ?? 0,
    payment: shared.payment ?? 0,
    disposableMail,
    discordDays: youngestDiscord(links, now),
    vpn: await vpn.findVerdict(tx, () => listPlaces(tx, userId, now - PLACES_MS)),
  };
  return computeScore(facts, {
    vpnWeight: values.vpn_weight,
    unknownHolds: values.vpn_unknown_holds,
    altAllowed: can(permissions, 'user.permission.alt'),
    vpnAllowed: can(permissions, 'user.permission.vpn'),
  });
}

/** Age in days of the youngest Discord account, from its id; null without one. */
function youngestDiscord(links: readonly LinkedIdentity[], now: number): number | null {
  const ages = links
    .filter(({ provider, subject }) => provider === 'discord' && /^\d{15,20}$/.test(subject))
    .map(({ subject }) => (now - (Number(BigInt(subject) >> 22n) + DISCORD_EPOCH)) / DAY);
  return ages.length > 0 ? Math.max(0, Math.min(...ages)) : null;
}
