import type { LinkedIdentity } from '../../identities/index.ts';
import type { J4rDeps } from './deps.ts';
import type { GuildState } from './lookup.ts';
import { needsRelink } from './policy.ts';
import type { J4rClaim } from './ports.ts';

/**
 * What Discord says of one claim. `nobody`: the account is not linked, so nobody can be asked. `unproven`: not seen
 * there, but the server itself may be gone.
 */
export type Finding =
  | { readonly kind: 'member'; readonly joinedMs: number | null }
  | { readonly kind: 'left' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'unknown' };
/** Asks whether a Discord server is there; the answers of one run are shared. */
type FindGuildState = (guildId: string) => Promise<GuildState>;

/** What Discord says of claims that vest. */
export function createFindings({
  uow,
  clock,
  identities,
  discord,
}: Pick<J4rDeps, 'uow' | 'clock' | 'identities' | 'discord'>) {
  /**
   * Asks Discord about the claims of one person: one question for all of them, and one more for each that it cannot
   * answer alone.
   */
  async function findingsOf(
    claims: readonly J4rClaim[],
    findStanding: FindGuildState,
  ): Promise<{ claim: J4rClaim; finding: Finding }[]> {
    const [first] = claims;
    if (!first) return [];
    const linked = await uow.read((tx) => identities.listByUser(tx, first.userId));
    const identity = linked.find(({ provider, trace }) => provider === 'discord' && trace === first.subject);
    if (!identity || needsRelink(identity)) return claims.map((claim) => ({ claim, finding: { kind: 'nobody' } }));
    const list = await identities.withAccess(identity.id, (access) => discord.guilds(access));
    const inside = list.kind === 'yes' ? list.value : null;
    const findings: { claim: J4rClaim; finding: Finding }[] = [];
    for (const claim of claims)
      findings.push({ claim, finding: await findingOf(identity, claim, inside, findStanding) });
    return findings;
  }

  async function findingOf(
    identity: LinkedIdentity,
    claim: J4rClaim,
    inside: ReadonlySet<string> | null,
    findStanding: FindGuildState,
  ): Promise<Finding> {
    // On the way the list is enough. Leaving has to be confirmed, and at the end the member is read: it tells of
    // leaving and coming back.
    if (inside?.has(claim.guildId) && clock.now() < claim.vestsMs) return { kind: 'member', joinedMs: null };
    const answer = await identities.withAccess(identity.id, (access) => discord.member(access, claim.guildId));
    if (answer.kind === 'yes') return { kind: 'member', joinedMs: answer.value.joinedMs };
    if (answer.kind === 'unknown') return answer;
    if (answer.reason === 'absent') return { kind: 'left' };
    if (answer.reason !== 'unseen') return { kind: 'nobody' };
    // Discord answers the same for a server that was deleted: nobody left that one. Only where the server is there did
    // the person leave.
    const there = await findStanding(claim.guildId);
    return there === 'there' ? { kind: 'left' } : { kind: there };
  }

  return { findingsOf };
}

/** Asks for each server once; the answer is reused, also where there was none. */
export function oncePerGuild(findStanding: FindGuildState): FindGuildState {
  const asked = new Map<string, Promise<GuildState>>();
  return (guildId) => {
    const under = asked.get(guildId) ?? findStanding(guildId);
    asked.set(guildId, under);
    return under;
  };
}
