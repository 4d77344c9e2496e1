import { sourceFacts } from '#shared/earning-sources.ts';
import { can } from '#shared/permissions.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Judge, Reward } from '../rewards/payout/index.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import { isDisposable } from './disposable.ts';
import type { HeldCause, HeldReward, LinkedIdentity } from './ports.ts';
import { codeReason, scoreOf, type Facts, type Reason, type Score } from './score.ts';
import type { Signals } from './signals.ts';
import type { Vpn } from './vpn.ts';

/** A score is believed for so long: AFK pays every minute. */
const FRESH_MS = 5 * MINUTE;
/**
 * Accounts that come to a device within so long came together. Shorter than from one lesson to the next, when a
 * school's computer changes hands.
 */
const BURST_MS = 45 * MINUTE;
/** Scores kept in memory (attacks T52). */
const KNOWN_MAX = 100_000;
/** Places of the last day count for the VPN check. */
const PLACES_MS = DAY;
/** Discord's ids begin with the time: milliseconds since then, above 22 other bits. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** Scores of users, kept for minutes. */
export function createScores(deps: AbuseDeps) {
  const known = new Map<string, { score: Score; atMs: number }>();
  return {
    forget: (userId: string): void => void known.delete(userId),
    /** The score of a user. `fresh`: worked out anew. */
    async of(tx: Tx, userId: string, parts: { signals: Signals; vpn: Vpn }, fresh = false): Promise<Score> {
      const now = deps.clock.now();
      const last = known.get(userId);
      // What is known of a new account changes by the minute.
      if (!fresh && last && !last.score.young && now - last.atMs < FRESH_MS && last.atMs <= now) return last.score;
      const score = await workOut(deps, tx, userId, parts);
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(userId, { score, atMs: now });
      return score;
    },
  };
}
export type Scores = ReturnType<typeof createScores>;

async function workOut(
  deps: AbuseDeps,
  tx: Tx,
  userId: string,
  { signals, vpn }: { signals: Signals; vpn: Vpn },
): Promise<Score> {
  const now = deps.clock.now();
  const values = deps.settings.current();
  const profile = await tx.abuse.profile(userId);
  const permissions = profile ? await tx.access.permissionsOf(profile.roleId) : [];
  const links = (await deps.identities?.of(tx, userId)) ?? [];
  if (links.length > 0) await signals.noteIdentities(tx, userId, links);
  const shared = await tx.abuse.shared(userId);
  const together = (seenMs: number, madeMs: number | null) =>
    (shared.device ?? 0) === 0 ? 0 : tx.abuse.together(userId, { seenMs, madeMs });
  const device = await together(BURST_MS, null);
  const createdMs = profile?.createdMs ?? 0;
  const isThrowaway = (email: string) => isDisposable(email, values.abuse_disposable_domains);
  const disposableMail = profile !== null && isThrowaway(profile.email);
  // Who came with whom is only asked where the answer can weigh.
  const around = device > 0 || disposableMail ? await tx.abuse.joinedAround(userId, DAY) : [];
  const withinHour = around.filter((other) => Math.abs(other.createdMs - createdMs) <= HOUR);
  const facts: Facts = {
    device,
    deviceDay: await together(DAY, DAY),
    deviceSpread: Math.max(0, (shared.device ?? 0) - device),
    joined: around.length,
    joinedShared:
      device === 0
        ? 0
        : await tx.abuse.onSharedDevices(
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
    vpn: await vpn.verdictOf(tx, await signals.places(tx, userId, now - PLACES_MS)),
  };
  return scoreOf(facts, {
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

/** A line that says why something waits, and weighs nothing. */
const plain = (code: 'noProof' | 'burst'): Reason => ({ code, weight: 0, count: null });

/** Decides whether a reward waits, and keeps those that do (behaviour 4.6). Nobody is banned here, and nothing is lost. */
export function createJudge(deps: AbuseDeps, score: (tx: Tx, userId: string, fresh: boolean) => Promise<Score>): Judge {
  /** What a redeem code adds: others around the user that redeemed the same one within the hour. */
  async function codeOf(tx: Tx, userId: string, code: string): Promise<Reason | null> {
    const profile = await tx.abuse.profile(userId);
    const permissions = profile ? await tx.access.permissionsOf(profile.roleId) : [];
    return codeReason(
      { altAllowed: can(permissions, 'user.permission.alt') },
      await tx.abuse.sameCode(userId, code, deps.clock.now() - HOUR),
    );
  }

  return {
    async hold(tx, reward) {
      const {
        abuse_threshold: threshold,
        abuse_wait_minutes: waitMinutes,
        abuse_proof_hours: proofHours,
      } = deps.settings.current();
      const unproven = reward.proof === false;
      if (threshold === 0 && !unproven) return null;
      const found = await score(tx, reward.userId, sourceFacts(reward.source).freshScore === true);
      const code = reward.code === undefined || found.score === 0 ? null : await codeOf(tx, reward.userId, reward.code);
      const total = found.score + (code?.weight ?? 0);
      const high = threshold > 0 && total >= threshold;
      const early = threshold > 0 && found.early && waitMinutes > 0;
      if (!high && !unproven && !early) return null;
      const waits: Reason[] = [...(unproven ? [plain('noProof')] : []), ...(early && !high ? [plain('burst')] : [])];
      const reasons = [...found.reasons, ...(code ? [code] : []), ...waits];
      const waitMs = unproven ? proofHours * HOUR : waitMinutes * MINUTE;
      return keep(
        deps,
        tx,
        reward,
        { cause: high ? 'score' : 'proof', score: total, reasons },
        high ? null : deps.clock.now() + waitMs,
      );
    },
    async cancel(tx, reference) {
      const held = await tx.abuse.lockByReference(reference);
      if (!held) return false;
      await giveBack(deps, tx, held, null);
      return true;
    },
  };
}

interface Verdict {
  readonly cause: HeldCause;
  readonly score: number;
  readonly reasons: readonly Reason[];
}

/**
 * Moves a reward from its source into its user's hold, with a row that says why. Parts of a pool join the row that is
 * open. `releaseMs`: when it is looked at again; null: staff decide.
 */
async function keep(
  { ledger, clock, ids, counters, notifications }: AbuseDeps,
  tx: Tx,
  reward: Reward,
  verdict: Verdict,
  releaseMs: number | null,
): Promise<{ txId: string }> {
  const { userId, source, amount, reference, subject } = reward;
  const now = clock.now();
  const facts = { userId, amount, reference, subject, kind: 'reward.held', source: `system:reward.${source}` } as const;
  const countedDay = counters.today();
  const pool = reward.pool ?? null;
  const open = pool === null ? null : await tx.abuse.openPool(userId, pool);
  if (open) {
    const { txId } = await ledger.growReward(tx, open.holdId, facts);
    await tx.abuse.growHeld(open.id, amount, verdict, { ms: now, day: countedDay });
    return { txId };
  }
  const { holdId, txId } = await ledger.holdReward(tx, facts);
  const id = ids.uuid();
  await tx.abuse.addHeld({
    id,
    userId,
    source,
    amount,
    reference,
    subject,
    pool,
    ...verdict,
    txId,
    holdId,
    releaseMs,
    createdMs: now,
    countedDay,
  });
  await notifications.notify(tx, userId, 'rewardHeld', { cost: amount }, `rewardHeld:${id}`);
  return { txId };
}

/**
 * Gives a locked, open reward back to its source. It counted against cap and budget while it waited; what of it counts
 * on the running day is given back to them, so that rewards nobody gets do not use up what others may earn.
 */
export async function giveBack(
  { ledger, clock, counters }: AbuseDeps,
  tx: Tx,
  held: HeldReward,
  by: string | null,
): Promise<void> {
  const { userId, source, counted: amount, countedDay } = held;
  // Before the ledger, as everything that pays does.
  if (countedDay !== null) await counters.giveBack(tx, { userId, source, amount }, countedDay);
  await ledger.capture(tx, held.holdId, {
    destination: `system:reward.${held.source}`,
    kind: 'reward.rejected',
    reference: `reward.reject:${held.id}`,
    subject: held.subject,
  });
  await tx.abuse.closeHeld(held.id, { state: 'rejected', atMs: clock.now(), by });
}

/** Pays a locked, open reward to its user. */
export async function payOut({ ledger, clock }: AbuseDeps, tx: Tx, held: HeldReward, by: string | null): Promise<void> {
  await ledger.releaseReward(tx, held.holdId, {
    kind: 'reward.released',
    reference: `reward.release:${held.id}`,
    subject: held.subject,
  });
  await tx.abuse.closeHeld(held.id, { state: 'released', atMs: clock.now(), by });
}
