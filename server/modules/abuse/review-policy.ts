import { sourceFacts } from '#shared/earning-sources.ts';
import { can } from '#shared/permissions.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { ReviewPolicy, Reward } from '../rewards/payout/index.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { HeldCause, HeldReward } from './ports.ts';
import { CODE_POINTS_MAX, codeReason, type Reason, type Score } from './score.ts';

/** A line that says why something waits, and weighs nothing. */
const unweighted = (code: 'noProof' | 'burst'): Reason => ({ code, weight: 0, count: null });

/** Decides whether a reward waits, and keeps those that do (behaviour 4.6). Nobody is banned here, and nothing is lost. */
export function createReviewPolicy(
  deps: AbuseDeps,
  score: (tx: Tx, userId: string, fresh: boolean) => Promise<Score>,
): ReviewPolicy {
  /** What a redeem code adds: others around the user that redeemed the same one within the hour. */
  async function redeemCodeReason(tx: Tx, userId: string, code: string): Promise<Reason | null> {
    const profile = await tx.abuse.findProfile(userId);
    return codeReason(
      { altAllowed: can(profile?.permissions ?? [], 'user.permission.alt') },
      await tx.abuse.countSameCode(userId, code, deps.clock.now() - HOUR),
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
      const userScore = await score(tx, reward.userId, sourceFacts(reward.source).freshScore === true);
      const early = threshold > 0 && userScore.early && waitMinutes > 0;
      const isHigh = (points: number) => threshold > 0 && points >= threshold;
      // Of nearly everybody whatever the code adds changes nothing: then nobody asks for it.
      const mayWait = unproven || early || isHigh(userScore.score + CODE_POINTS_MAX);
      const code =
        reward.code === undefined || userScore.score === 0 || !mayWait
          ? null
          : await redeemCodeReason(tx, reward.userId, reward.code);
      const total = userScore.score + (code?.weight ?? 0);
      const high = isHigh(total);
      if (!high && !unproven && !early) return null;
      const waits: Reason[] = [
        ...(unproven ? [unweighted('noProof')] : []),
        ...(early && !high ? [unweighted('burst')] : []),
      ];
      const reasons = [...userScore.reasons, ...(code ? [code] : []), ...waits];
      const waitMs = unproven ? proofHours * HOUR : waitMinutes * MINUTE;
      return holdReward(
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
      await returnToSource(deps, tx, held, null);
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
 * open. `releaseMs`: when it is reviewed again by itself; null: staff decide.
 */
async function holdReward(
  { ledger, clock, ids, counters, events }: AbuseDeps,
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
  const open = pool === null ? null : await tx.abuse.lockOpenPool(userId, pool);
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
  await events.emit(tx, 'reward.held', { userId, heldRewardId: id, source, amount });
  return { txId };
}

/**
 * Gives a locked, open reward back to its source. It counted against cap and budget while it waited; what of it counts
 * on the running day is given back to them, so that rewards nobody gets do not use up what others may earn.
 */
export async function returnToSource(
  { ledger, clock, counters }: AbuseDeps,
  tx: Tx,
  held: HeldReward,
  by: string | null,
): Promise<void> {
  const { userId, source, counted: amount, countedDay } = held;
  // Before the ledger, as everything that pays does.
  if (countedDay !== null) await counters.uncount(tx, { userId, source, amount }, countedDay);
  await ledger.capture(tx, held.holdId, {
    destination: `system:reward.${held.source}`,
    kind: 'reward.rejected',
    reference: `reward.reject:${held.id}`,
    subject: held.subject,
  });
  await tx.abuse.closeHeld(held.id, { state: 'rejected', atMs: clock.now(), by });
}

/** Pays a locked, open reward to its user. */
export async function payToWallet(
  { ledger, clock }: AbuseDeps,
  tx: Tx,
  held: HeldReward,
  by: string | null,
): Promise<void> {
  await ledger.releaseReward(tx, held.holdId, {
    kind: 'reward.released',
    reference: `reward.release:${held.id}`,
    subject: held.subject,
  });
  await tx.abuse.closeHeld(held.id, { state: 'released', atMs: clock.now(), by });
}
