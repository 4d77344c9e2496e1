import { coins } from '#shared/coins.ts';
import { HOUR, iso } from '#shared/time.ts';
import type { LinkedIdentity } from '../../identities/index.ts';
import type { Tx } from '../../tx.ts';
import type { Standing } from './lookup.ts';
import { needsRelink, nextCheck, PROOF_GRACE, UNLINKED_GRACE, verdictOf } from './policy.ts';
import type { J4rClaim } from './ports.ts';
import type { J4rDeps } from './service.ts';

/** Claims looked at in one turn of the task. */
const TURN = 200;
/** When a claim is looked at again where Discord gave no clear answer, or a worker died over it. */
const AGAIN = HOUR;

/**
 * What Discord says of one claim. `nobody`: the account is not linked, so nobody can be asked. `unproven`: not seen
 * there, but the server itself may be gone.
 */
type Finding =
  | { readonly kind: 'member'; readonly joinedMs: number | null }
  | { readonly kind: 'left' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'unknown' };
/** Looks whether a Discord server is there; the answers of one turn are shared. */
type Look = (guildId: string) => Promise<Standing>;

/** Looking after rewards while they vest (behaviour 4.3): who leaves gives them back, as far as the balance allows. */
export function createVesting(deps: Omit<J4rDeps, 'counters'>, standing: Look) {
  const { uow, clock, identities, discord } = deps;

  /**
   * Looks at the claims that are due. For the scheduler; several may run at once. Out: how many were looked at. Throws
   * the first fault, after all were looked at.
   */
  async function checkDue(): Promise<number> {
    const now = clock.now();
    const due = await uow.run((tx) => tx.j4r.takeDue(now, now + AGAIN, TURN));
    const people = Map.groupBy(due, ({ userId, subject }) => `${userId} ${subject}`);
    const faults: unknown[] = [];
    const look = onceEach(standing);
    for (const claims of people.values()) {
      try {
        for (const { claim, finding } of await findingsOf(claims, look)) await settle(claim, finding);
      } catch (error) {
        // One person's trouble holds up nobody else; their claims are due again in an hour.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return due.length;
  }

  /**
   * Asks Discord about the claims of one person: one question for all of them, and one more for each that it cannot
   * settle alone.
   */
  async function findingsOf(claims: readonly J4rClaim[], look: Look): Promise<{ claim: J4rClaim; finding: Finding }[]> {
    const [first] = claims;
    if (!first) return [];
    const linked = await uow.read((tx) => identities.of(tx, first.userId));
    const identity = linked.find(({ provider, trace }) => provider === 'discord' && trace === first.subject);
    if (!identity || needsRelink(identity)) return claims.map((claim) => ({ claim, finding: { kind: 'nobody' } }));
    const list = await identities.ask(identity.id, (access) => discord.guilds(access));
    const inside = list.kind === 'yes' ? list.value : null;
    const findings: { claim: J4rClaim; finding: Finding }[] = [];
    for (const claim of claims) findings.push({ claim, finding: await findingOf(identity, claim, inside, look) });
    return findings;
  }

  async function findingOf(
    identity: LinkedIdentity,
    claim: J4rClaim,
    inside: ReadonlySet<string> | null,
    look: Look,
  ): Promise<Finding> {
    // On the way the list is enough. Leaving has to be confirmed, and at the end the member is read: it tells of
    // leaving and coming back.
    if (inside?.has(claim.guildId) && clock.now() < claim.vestsMs) return { kind: 'member', joinedMs: null };
    const said = await identities.ask(identity.id, (access) => discord.member(access, claim.guildId));
    if (said.kind === 'yes') return { kind: 'member', joinedMs: said.value.joinedMs };
    if (said.kind === 'unknown') return said;
    if (said.reason === 'absent') return { kind: 'left' };
    if (said.reason !== 'unseen') return { kind: 'nobody' };
    // Discord answers the same for a server that was deleted: nobody left that one. Only where the server is there did
    // the person leave.
    const there = await look(claim.guildId);
    return there === 'there' ? { kind: 'left' } : { kind: there };
  }

  function settle(claim: J4rClaim, finding: Finding): Promise<void> {
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
   * Nothing proves that they left: looked at again until the end of the grace, in which staff may enter an invite that
   * works; then it is theirs.
   */
  async function unproven(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    const last = claim.vestsMs + PROOF_GRACE;
    if (now >= last) return void (await tx.j4r.end(claim.id, 'kept', now));
    await tx.j4r.putOff(claim.id, Math.min(nextCheck(claim, now), last), null);
  }

  /** Nobody can be asked: the user is told, and has until the end of the grace to link again. */
  async function missing(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    const last = claim.vestsMs + UNLINKED_GRACE;
    if (now >= last) return takeBack(tx, claim, now);
    await deps.notifications.notify(
      tx,
      claim.userId,
      'j4rUnlinked',
      { server: claim.name, cost: claim.credits, until: iso(last) },
      `j4rUnlinked:${claim.id}`,
    );
    await tx.j4r.putOff(claim.id, Math.min(nextCheck(claim, now), last), claim.unlinkedMs ?? now);
  }

  /**
   * Takes a reward back: whole out of a review, otherwise what the wallet has; the rest is forgiven. A wallet with a
   * debt is left alone: the debt comes first.
   */
  async function takeBack(tx: Tx, claim: J4rClaim, now: number): Promise<void> {
    if (!(await tx.j4r.end(claim.id, 'left', now))) return;
    const { userId, reference, name } = claim;
    let taken = 0;
    if (claim.held && (await deps.payout.cancelHeld(tx, reference))) {
      await deps.notifications.notify(
        tx,
        userId,
        'j4rTakenBack',
        { server: name, cost: claim.credits },
        `j4rTakenBack:${claim.id}`,
      );
      return tx.j4r.setTaken(claim.id, claim.credits, claim.txId);
    }
    if (claim.held && (await tx.j4r.heldStates([reference])).get(reference) === 'rejected') return;
    const wallet = `user:${userId}` as const;
    await tx.ledger.lock([`debt:${userId}`, wallet]);
    if ((await tx.ledger.balance(`debt:${userId}`)) === 0)
      taken = Math.min(claim.credits, await tx.ledger.balance(wallet));
    if (taken > 0) {
      const postings = [{ source: wallet, destination: 'system:reward.j4r', amount: coins(taken) }] as const;
      const { id } = await deps.ledger.transfer(tx, {
        kind: 'reward.j4r.back',
        reference: `j4r.back:${claim.id}`,
        subject: name,
        postings,
      });
      await tx.j4r.setTaken(claim.id, taken, id);
    }
    await deps.notifications.notify(
      tx,
      userId,
      'j4rTakenBack',
      { server: name, cost: taken },
      `j4rTakenBack:${claim.id}`,
    );
  }

  return { checkDue };
}

/** Asks for each server once. What was asked once is not asked again, also where it was asked in vain. */
function onceEach(look: Look): Look {
  const asked = new Map<string, Promise<Standing>>();
  return (guildId) => {
    const under = asked.get(guildId) ?? look(guildId);
    asked.set(guildId, under);
    return under;
  };
}
