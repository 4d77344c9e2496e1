import type { HeldState, J4rClaim, J4rServer } from './ports.ts';

/**
 * How a server stands with the user: `open` to be joined, `vesting` paid but not for good, `held` in review, `rejected`
 * by review, `kept` for good, `left` clawed back, `used` the linked Discord account was paid for it on another account
 * here.
 */
type CardState = 'open' | 'vesting' | 'held' | 'rejected' | 'kept' | 'left' | 'used';
export interface Card {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Code of the invite; null where the server is not offered any more. */
  readonly invite: string | null;
  readonly members: number | null;
  readonly credits: number;
  readonly paysMembers: boolean;
  readonly sinceMs: number | null;
  readonly state: CardState;
  readonly claimedMs: number | null;
  readonly vestsMs: number | null;
  readonly endedMs: number | null;
  /** Credits that were clawed back. */
  readonly taken: number;
  /** Discord cannot be asked at the moment, as the account is not linked. */
  readonly unlinked: boolean;
}
interface Known {
  /** Discord servers that the linked identity was paid for, to whomever. */
  readonly paid: ReadonlySet<string>;
  readonly held: ReadonlyMap<string, HeldState>;
}

/**
 * The cards of the page: servers that are offered in their order, then those that the user was paid for and that are
 * gone.
 */
export function cardsOf(offered: readonly J4rServer[], claims: readonly J4rClaim[], known: Known): Card[] {
  const byGuild = new Map(claims.map((claim) => [claim.guildId, claim]));
  const cards = offered.map((server): Card => {
    const claim = byGuild.get(server.guildId ?? '');
    byGuild.delete(server.guildId ?? '');
    const { id, name, description, invite, members, credits, paysMembers, sinceMs } = server;
    const own = { id, name, description, invite, members, credits, paysMembers, sinceMs };
    if (claim) return { ...own, ...claimFields(claim, known.held) };
    return { ...own, ...NOTHING, state: known.paid.has(server.guildId ?? '') ? 'used' : 'open' };
  });
  const gone = [...byGuild.values()].map((claim): Card => ({
    id: claim.id,
    name: claim.name,
    description: '',
    invite: null,
    members: null,
    paysMembers: false,
    sinceMs: null,
    ...claimFields(claim, known.held),
  }));
  return [...cards, ...gone];
}

const NOTHING = { claimedMs: null, vestsMs: null, endedMs: null, taken: 0, unlinked: false };

function claimFields(claim: J4rClaim, held: ReadonlyMap<string, HeldState>) {
  const { credits, claimedMs, vestsMs, endedMs, taken } = claim;
  return {
    credits,
    claimedMs,
    vestsMs,
    endedMs,
    taken,
    unlinked: claim.state === 'vesting' && claim.unlinkedMs !== null,
    state: stateOf(claim, held),
  };
}

function stateOf(claim: J4rClaim, held: ReadonlyMap<string, HeldState>): CardState {
  if (claim.state === 'left' || !claim.held) return claim.state;
  const review = held.get(claim.reference);
  return review === 'open' ? 'held' : review === 'rejected' ? 'rejected' : claim.state;
}
