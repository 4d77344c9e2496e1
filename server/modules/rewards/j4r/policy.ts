import type { ErrorCode } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { DiscordMember, LinkedIdentity } from '../../identities/index.ts';
import { snowflakeMs } from '../../identities/index.ts';
import type { J4rClaim, J4rServer } from './ports.ts';

/** How often a claim that vests is looked at. */
const CHECK_EVERY = DAY;
/**
 * How long after the vesting somebody who is not linked any more may link again before the reward is clawed back:
 * consent that is gone must not be a way to keep what was not earned, but tokens also wear out without anybody's
 * fault.
 */
export const UNLINKED_GRACE = 7 * DAY;

/**
 * How long after the vesting a claim is looked at further where somebody is not seen in a server of which nothing
 * proves that it still is there.
 */
export const PROOF_GRACE = 7 * DAY;

/** Whether Discord cannot be asked about members with this link. */
export function needsRelink({ broken, scopes }: Pick<LinkedIdentity, 'broken' | 'scopes'>): boolean {
  return broken || !scopes.includes('guilds.members.read');
}

/** Whether a member is paid, and if not, why: the first reason in this order (behaviour 4.3). */
export function refusalOf(
  server: Pick<J4rServer, 'paysMembers' | 'sinceMs' | 'minAccountDays'>,
  subject: string,
  member: DiscordMember,
  now: number,
): ErrorCode | null {
  if (member.pending) return 'J4R_PENDING';
  // Who left and came back has a new time of joining: only the flag tells.
  if (!server.paysMembers && (member.joinedMs < server.sinceMs || member.rejoined)) return 'J4R_MEMBER_BEFORE';
  const made = snowflakeMs(subject);
  if (server.minAccountDays > 0 && (made === null || now - made < server.minAccountDays * DAY))
    return 'DISCORD_TOO_YOUNG';
  return null;
}

/** What a look at a vesting claim comes to. */
type Verdict = 'stays' | 'kept' | 'left';

/** The verdict on somebody who is a member now. Who joined later than at the claim has left in between. */
export function verdictOf(claim: Pick<J4rClaim, 'joinedMs' | 'vestsMs'>, joinedMs: number, now: number): Verdict {
  if (joinedMs > claim.joinedMs) return 'left';
  return now >= claim.vestsMs ? 'kept' : 'stays';
}

/** When a claim that goes on vesting is looked at next: in a day, at the latest when it vests. */
export function nextCheck(claim: Pick<J4rClaim, 'vestsMs'>, now: number): number {
  return claim.vestsMs > now ? Math.min(now + CHECK_EVERY, claim.vestsMs) : now + CHECK_EVERY;
}
