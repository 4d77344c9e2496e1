import { toCredits } from '#shared/credits.ts';
import type { Tx } from '../../tx.ts';
import type { J4rDeps } from './deps.ts';
import type { J4rClaim } from './ports.ts';

/** Claws back the reward of somebody who left (behaviour 4.3). */
export function createClawback(deps: Pick<J4rDeps, 'ledger' | 'events' | 'payout'>) {
  const emitClawedBack = (tx: Tx, { id, userId, name }: J4rClaim, amount: number) =>
    deps.events.emit(tx, 'j4r.clawed_back', { userId, claimId: id, server: name, amount });

  /** Moves what the wallet has, at most the reward. Out: credits taken, 0 where nothing was. */
  async function takeFromWallet(tx: Tx, { id, userId, name, credits }: J4rClaim): Promise<number> {
    const wallet = `user:${userId}` as const;
    await tx.ledger.lock([`debt:${userId}`, wallet]);
    if ((await tx.ledger.balance(`debt:${userId}`)) !== 0) return 0;
    const taken = Math.min(credits, await tx.ledger.balance(wallet));
    if (taken <= 0) return 0;
    const { id: txId } = await deps.ledger.transfer(tx, {
      kind: 'reward.j4r.back',
      reference: `j4r.back:${id}`,
      subject: name,
      postings: [{ source: wallet, destination: 'system:reward.j4r', amount: toCredits(taken) }],
    });
    await tx.j4r.recordClawback(id, taken, txId);
    return taken;
  }

  /**
   * Claws back a reward: whole out of a review, otherwise what the wallet has; the rest is forgiven. A wallet with a
   * debt is left alone: the debt comes first.
   */
  return async function clawBack(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    if (!(await tx.j4r.end(claim.id, 'left', now))) return;
    if (claim.held && (await deps.payout.cancelHeld(tx, claim.reference))) {
      await emitClawedBack(tx, claim, claim.credits);
      return tx.j4r.recordClawback(claim.id, claim.credits, claim.txId);
    }
    if (claim.held && (await tx.j4r.heldStates([claim.reference])).get(claim.reference) === 'rejected') return;
    await emitClawedBack(tx, claim, await takeFromWallet(tx, claim));
  };
}
