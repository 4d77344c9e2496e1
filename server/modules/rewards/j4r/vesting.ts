import { HOUR } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import type { J4rDeps } from './deps.ts';
import { createFindings, onceEach, type Finding } from './findings.ts';
import type { Standing } from './lookup.ts';
import { nextCheck, PROOF_GRACE, UNLINKED_GRACE, verdictOf } from './policy.ts';
import type { J4rClaim } from './ports.ts';
import { createTakeBack } from './take-back.ts';

/** Claims checked in one run of the task. */
const BATCH = 200;
/** When a claim is checked again where Discord gave no clear answer, or a worker died over it. */
const AGAIN = HOUR;

/** Looking after rewards while they vest (behaviour 4.3): who leaves gives them back, as far as the balance allows. */
export function createVesting(deps: Omit<J4rDeps, 'counters'>, standing: (guildId: string) => Promise<Standing>) {
  const { uow, clock } = deps;
  const { findingsOf } = createFindings(deps);
  const takeBack = createTakeBack(deps);

  /**
   * Checks the claims that are due. For the scheduler; several may run at once. Out: how many were checked. Throws the
   * first fault, after all were checked.
   */
  async function checkDue(): Promise<number> {
    const now = clock.now();
    const due = await uow.run((tx) => tx.j4r.takeDue(now, now + AGAIN, BATCH));
    const people = Map.groupBy(due, ({ userId, subject }) => `${userId} ${subject}`);
    const faults: unknown[] = [];
    const findStanding = onceEach(standing);
    for (const claims of people.values()) {
      try {
        for (const { claim, finding } of await findingsOf(claims, findStanding)) await resolveClaim(claim, finding);
      } catch (error) {
        // One person's trouble holds up nobody else; their claims are due again in an hour.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return due.length;
  }

  /** Ends a claim, or puts its next check off, as its finding demands. */
  function resolveClaim(claim: J4rClaim, finding: Finding): Promise<void> {
    const now = clock.now();
    return uow.run(async (tx) => {
      if (finding.kind === 'unknown') return tx.j4r.putOff(claim.id, now + AGAIN, claim.unlinkedMs);
      if (finding.kind === 'nobody') return missing(tx, claim, now);
      if (finding.kind === 'unproven') return unproven(tx, claim, now);
      if (finding.kind === 'left') return takeBack(tx, claim, now);
      const verdict = verdictOf(claim, finding.joinedMs ?? claim.joinedMs, now);
      if (verdict === 'left') return takeBack(tx, claim, now);
      // Only a member that was read may keep the reward for good.
      if (verdict === 'stays' || finding.joinedMs === null) return tx.j4r.putOff(claim.id, nextCheck(claim, now), null);
      await tx.j4r.end(claim.id, 'kept', now);
    });
  }

  /**
   * Nothing proves that they left: checked again until the end of the grace, in which staff may enter an invite that
   * works; then it is theirs.
   */
  async function unproven(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    const last = claim.vestsMs + PROOF_GRACE;
    if (now >= last) return void (await tx.j4r.end(claim.id, 'kept', now));
    await tx.j4r.putOff(claim.id, Math.min(nextCheck(claim, now), last), null);
  }

  /** Nobody can be asked: the user is notified, and has until the end of the grace to link again. */
  async function missing(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    const last = claim.vestsMs + UNLINKED_GRACE;
    if (now >= last) return takeBack(tx, claim, now);
    const { id: claimId, userId, name: server, credits: amount } = claim;
    await deps.events.emit(tx, 'j4r.unlinked', { userId, claimId, server, amount, untilMs: last });
    await tx.j4r.putOff(claim.id, Math.min(nextCheck(claim, now), last), claim.unlinkedMs ?? now);
  }

  return { checkDue };
}
