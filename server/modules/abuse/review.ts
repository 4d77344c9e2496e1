import { DomainError } from '#shared/errors.ts';
import { afterBan } from '../after-ban.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import { runEach, type EachOutcome } from '../run-each.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import { payToWallet, returnToSource } from './review-policy.ts';
import type { HeldRewardQuery, HeldReward, ListedHeldReward } from './ports.ts';
import type { Score } from './score.ts';

type Decision = 'release' | 'reject';
/** Rows a user sees of their own. */
const MAX_OWN = 50;
/** Rewards that one run of the task reviews. */
const BATCH = 500;

/** Reviewing held rewards: staff decide, and what only waited for its time is released by itself (behaviour 4.6). */
export function createReview(deps: AbuseDeps, score: (tx: Tx, userId: string) => Promise<Score>) {
  const { uow, clock, log } = deps;

  /**
   * Releases a reward to its user's wallet, or returns it to its source. Throws NOT_FOUND, HOLD_CLOSED when it is
   * already decided, FORBIDDEN for the caller's own: nobody pays themselves.
   */
  function decide(ctx: SignedIn, id: string, decision: Decision): Promise<Record<string, never>> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      await decideLocked(tx, ctx, id, decision);
      return {};
    });
  }

  async function decideLocked(tx: Tx, ctx: SignedIn, id: string, decision: Decision): Promise<void> {
    // First the counter, then the reward: in that order a minute that is paid meanwhile locks them.
    const owner = decision === 'reject' ? await tx.abuse.findOwner(id) : null;
    if (owner) await deps.counters.lock(tx, owner.userId, owner.source);
    const held = await tx.abuse.lockHeld(id);
    if (!held) throw new DomainError('NOT_FOUND');
    if (held.userId === ctx.actor.userId) throw new DomainError('FORBIDDEN');
    await resolveHeldReward(deps, tx, ctx, held, decision);
  }

  /**
   * Decides several, each on its own. Out: how many were decided, and how many could not be; the same once more for a
   * key whose answer is stored.
   */
  async function decideMany(
    ctx: SignedIn,
    ids: readonly string[],
    decision: Decision,
  ): Promise<{ done: number; refused: number }> {
    const { actor, idempotency } = ctx;
    const isStored =
      idempotency !== null && (await uow.read((tx) => tx.idempotency.find(actor.userId, idempotency.key))) !== null;
    const done = isStored ? 0 : (await decideEach(ctx, new Set(ids), decision)).done;
    return runOnce({ uow, now: clock.now() }, ctx, async () => ({ done, refused: new Set(ids).size - done }));
  }

  /** Decides each that can be decided, in a transaction of its own. Out and throws as `runEach` does. */
  function decideEach(ctx: SignedIn, ids: Iterable<string>, decision: Decision): Promise<EachOutcome> {
    return runEach(log, ids, (id) => uow.run((tx) => decideLocked(tx, ctx, id, decision)));
  }

  /**
   * Rejects everything that waits of a user who has just been banned; what is decided meanwhile stays so. Throws
   * BAN_INCOMPLETE where a fault broke it off: what is left is rejected by the same once more.
   */
  function rejectAllOf(ctx: SignedIn, userId: string): Promise<void> {
    return afterBan(log, async () => {
      const open = await uow.read((tx) => tx.abuse.listOpen(userId));
      const ids = open.map(({ id }) => id);
      const { refused } = await decideEach(ctx, ids, 'reject');
      // The fault itself is in the log.
      if (refused.some(({ code }) => code === 'SERVER_ERROR')) throw new DomainError('SERVER_ERROR');
    });
  }

  /**
   * Reviews again what waits for a proof that will never come, or for a burst to be seen, when its time is over:
   * released where the score is low, left to staff where it is not. For the scheduler. Out: how many were released.
   * Throws the first fault, after all were reviewed.
   */
  async function releaseDue(): Promise<number> {
    const due = await uow.read((tx) => tx.abuse.listDue(clock.now(), BATCH));
    let released = 0;
    const faults: unknown[] = [];
    for (const id of due) {
      try {
        released += (await uow.run((tx) => reviewDue(deps, score, tx, id))) ? 1 : 0;
      } catch (error) {
        // One that fails must not block the others.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return released;
  }

  /** A page of held rewards, and what waits altogether. For staff. */
  function list(
    query: HeldRewardQuery,
  ): Promise<{ rows: ListedHeldReward[]; total: number; open: { count: number; credits: number } }> {
    return uow.read(async (tx) => ({ ...(await tx.abuse.list(query)), open: await tx.abuse.openTotals() }));
  }

  return {
    decide: permitted('admin.rewards.held.edit', decide),
    decideMany: permitted('admin.rewards.held.edit', decideMany),
    rejectAllOf: permitted('admin.rewards.held.edit', rejectAllOf),
    releaseDue,
    list,
  };
}

/** What users see of their own held rewards, and the note they may write on one. */
export function createAppeals({ uow, clock }: Pick<AbuseDeps, 'uow' | 'clock'>) {
  /**
   * The caller's own held rewards, the open ones first. The reasons are not shown: they would reveal other accounts
   * (attacks T19).
   */
  function listOwn(ctx: SignedIn): Promise<HeldReward[]> {
    return uow.read((tx) => tx.abuse.listByUser(ctx.actor.userId, MAX_OWN));
  }

  /**
   * The caller's word on a reward of theirs that waits, once. Throws NOT_FOUND, HOLD_CLOSED, or APPEAL_SENT where there
   * is one.
   */
  function appeal(ctx: SignedIn, id: string, note: string): Promise<void> {
    return uow.run(async (tx) => {
      const held = await tx.abuse.lockHeld(id);
      if (held?.userId !== ctx.actor.userId) throw new DomainError('NOT_FOUND');
      if (held.state !== 'open') throw new DomainError('HOLD_CLOSED');
      if (!(await tx.abuse.addNote(id, ctx.actor.userId, note, clock.now()))) throw new DomainError('APPEAL_SENT');
    });
  }

  return { listOwn, appeal };
}

/** Pays an open, locked reward or returns it to its source, and emits which. Throws HOLD_CLOSED. */
async function resolveHeldReward(
  deps: AbuseDeps,
  tx: Tx,
  ctx: SignedIn | null,
  held: HeldReward,
  decision: Decision,
): Promise<void> {
  if (held.state !== 'open') throw new DomainError('HOLD_CLOSED');
  const by = ctx?.actor.userId ?? null;
  await (decision === 'release' ? payToWallet : returnToSource)(deps, tx, held, by);
  const username = (await tx.identity.findUser(held.userId))?.username ?? null;
  const { id: heldRewardId, userId, reference, source, amount, score } = held;
  const payload = { userId, username, heldRewardId, reference, source, amount, score };
  await (decision === 'release'
    ? deps.events.emit(tx, 'reward.released', payload, ctx)
    : deps.events.emit(tx, 'reward.rejected', payload, ctx));
}

/** Releases a reward whose waiting time is over, or assigns it to staff. Returns whether it was released. */
async function reviewDue(
  deps: AbuseDeps,
  score: (tx: Tx, userId: string) => Promise<Score>,
  tx: Tx,
  id: string,
): Promise<boolean> {
  const { clock } = deps;
  const held = await tx.abuse.lockHeld(id);
  if (held?.state !== 'open' || held.releaseMs === null || held.releaseMs > clock.now()) return false;
  const latest = await score(tx, held.userId);
  const { abuse_threshold: threshold } = deps.settings.current();
  // Who was banned or deleted in the meantime earns nothing by waiting (behaviour 3.9): staff decide.
  const isActive = (await tx.profiles.find(held.userId, clock.now()))?.active === true;
  if (!isActive || (threshold > 0 && latest.score >= threshold)) {
    await tx.abuse.assignToStaff(
      id,
      {
        score: latest.score,
        reasons: [...latest.reasons, ...held.reasons.filter(({ code }) => code === 'noProof' || code === 'burst')],
      },
      clock.now(),
    );
    return false;
  }
  await resolveHeldReward(deps, tx, null, held, 'release');
  return true;
}
