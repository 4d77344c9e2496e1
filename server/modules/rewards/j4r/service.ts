import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { runOnce } from '../../idempotency/index.ts';
import { providerUnavailable, type DiscordMember, type LinkedIdentity, type Outcome } from '../../identities/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { J4rDeps } from './deps.ts';
import { createLookups } from './lookup.ts';
import { cardsOf, type Card } from './cards.ts';
import { needsRelink, nextCheck, refusalOf } from './policy.ts';
import type { J4rServer } from './ports.ts';
import { createVesting } from './vesting.ts';

/** Past claims that the page shows. */
const CLAIMS_SHOWN = 200;

interface Claimed {
  readonly state: 'paid' | 'held';
  readonly credits: number;
  readonly balance: number;
}
interface J4rPage {
  /** Discord is set up at all. */
  readonly available: boolean;
  /** The linked Discord account; `relink` where it has to be linked again before Discord can be asked. */
  readonly linked: { readonly name: string; readonly relink: boolean } | null;
  readonly earnedToday: number;
  readonly cap: number;
  readonly budgetSpent: boolean;
  readonly vestingDays: number;
  readonly servers: readonly Card[];
}
type Membership = Outcome<DiscordMember, 'absent' | 'unseen' | 'scope' | 'broken'>;
export type J4r = ReturnType<typeof createJ4r>;

/**
 * Join for rewards (behaviour 4.3): Discord is asked first, without a transaction; what it said is then written and
 * paid in one.
 */
export function createJ4r(deps: J4rDeps) {
  const { uow, clock, settings } = deps;
  const asking = new Map<string, Promise<Membership>>();

  /** Asks Discord whether the identity is a member. Those who ask at the same time share the answer. */
  function membership(identity: LinkedIdentity, guildId: string): Promise<Membership> {
    const key = `${identity.id} ${guildId}`;
    const under =
      asking.get(key) ??
      deps.identities
        .withAccess(identity.id, (access) => deps.discord.member(access, guildId))
        .finally(() => asking.delete(key));
    asking.set(key, under);
    return under;
  }

  /**
   * Pays the caller for being a member of a server. Throws FEATURE_DISABLED, NOT_FOUND, J4R_NOT_LINKED, J4R_RELINK,
   * J4R_ALREADY_PAID, J4R_NOT_MEMBER, J4R_PENDING, J4R_MEMBER_BEFORE, DISCORD_TOO_YOUNG, DAILY_CAP_REACHED,
   * BUDGET_SPENT, PROVIDER_UNAVAILABLE (Discord gave no clear answer: nothing was paid).
   */
  async function claim(ctx: SignedIn, serverId: string): Promise<Claimed> {
    assertEnabled();
    const { userId } = ctx.actor;
    const facts = await uow.read(async (tx) => {
      // A key seen before: its stored answer, whatever Discord says now.
      const answered = ctx.idempotency !== null && (await tx.idempotency.find(userId, ctx.idempotency.key)) !== null;
      return answered ? null : getCandidate(tx, userId, serverId);
    });
    const member = facts && (await fetchMember(facts));
    return runOnce({ uow, now: clock.now() }, ctx, (tx) => pay(deps, tx, { ctx, serverId, asked: facts, member }));
  }

  /** Who would be paid for what; refuses what needs no question to Discord. */
  async function getCandidate(tx: Tx, userId: string, serverId: string): Promise<Candidate> {
    const server = await tx.j4r.server(serverId);
    if (!server?.enabled || server.guildId === null) throw new DomainError('NOT_FOUND');
    const identity = (await deps.identities.listByUser(tx, userId)).find(({ provider }) => provider === 'discord');
    if (!identity) throw new DomainError('J4R_NOT_LINKED');
    if (await tx.j4r.isPaid(server.guildId, identity.trace, userId)) throw new DomainError('J4R_ALREADY_PAID');
    const refusal = await deps.counters.findRefusal(tx, { userId, source: 'j4r', amount: server.credits });
    if (refusal) throw new DomainError(refusal);
    return { server, guildId: server.guildId, identity };
  }

  async function fetchMember({ identity, guildId }: Candidate): Promise<DiscordMember> {
    const answer = await membership(identity, guildId);
    if (answer.kind === 'yes') return answer.value;
    if (answer.kind === 'unknown') throw providerUnavailable(answer.retryAfterS);
    throw new DomainError(answer.reason === 'absent' || answer.reason === 'unseen' ? 'J4R_NOT_MEMBER' : 'J4R_RELINK');
  }

  /** What the page shows. Discord is not asked for it. Throws FEATURE_DISABLED. */
  async function page(ctx: SignedIn): Promise<J4rPage> {
    assertEnabled();
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const identity =
        (await deps.identities.listByUser(tx, userId)).find(({ provider }) => provider === 'discord') ?? null;
      const { earnedToday, cap, budget, budgetUsed } = await deps.counters.state(tx, userId, 'j4r');
      const claims = await tx.j4r.claimsOf(userId, CLAIMS_SHOWN);
      const paid = new Set(identity ? await tx.j4r.guildsPaid(identity.trace) : []);
      const held = await tx.j4r.heldStates(claims.filter((each) => each.held).map(({ reference }) => reference));
      return {
        available: deps.discord.configured(),
        linked: identity && { name: identity.name, relink: needsRelink(identity) },
        earnedToday,
        cap,
        budgetSpent: budget > 0 && budgetUsed >= budget,
        vestingDays: settings.current().j4r_vesting_days,
        servers: cardsOf(await tx.j4r.offered(), claims, { paid, held }),
      };
    });
  }

  function assertEnabled(): void {
    if (!settings.current().j4r_enabled) throw new DomainError('FEATURE_DISABLED');
  }

  const { lookUpInvites, findGuildState: standing } = createLookups(deps);
  return { claim, page, lookUpInvites, ...createVesting(deps, standing) };
}

interface Candidate {
  readonly server: J4rServer;
  readonly guildId: string;
  readonly identity: LinkedIdentity;
}

/** Writes the claim and pays it. What was asked is read again: it may have changed while Discord thought. */
async function pay(
  deps: J4rDeps,
  tx: Tx,
  {
    ctx,
    serverId,
    asked,
    member,
  }: { ctx: SignedIn; serverId: string; asked: Candidate | null; member: DiscordMember | null },
): Promise<Claimed> {
  const { userId } = ctx.actor;
  // A stored answer that is gone by now, or a key that was used for something else.
  if (!asked || !member) throw new DomainError('IDEMPOTENCY_MISMATCH');
  const { guildId } = asked;
  // One claim of a user at a time: the others find it.
  await tx.identity.lockUser(userId);
  const now = deps.clock.now();
  const server = await tx.j4r.server(serverId);
  if (!server?.enabled || server.guildId !== guildId) throw new DomainError('NOT_FOUND');
  const identity = (await deps.identities.listByUser(tx, userId)).find(({ id }) => id === asked.identity.id);
  if (!identity) throw new DomainError('J4R_NOT_LINKED');
  const { trace: subject } = identity;
  const refusal = refusalOf(server, identity.subject, member, now);
  if (refusal) throw new DomainError(refusal);
  if (await tx.j4r.isPaid(guildId, subject, userId)) throw new DomainError('J4R_ALREADY_PAID');

  const reference = `j4r:${guildId}:${subject}`;
  const { credits, name } = server;
  const paid = await deps.payout.pay(tx, { userId, source: 'j4r', amount: credits, reference, subject: name });
  const vestsMs = now + deps.settings.current().j4r_vesting_days * DAY;
  const vests = vestsMs > now;
  await tx.j4r.addClaim({
    id: deps.ids.uuid(),
    guildId,
    subject,
    serverId,
    userId,
    name,
    credits,
    reference,
    txId: paid.txId,
    state: vests ? 'vesting' : 'kept',
    held: paid.state === 'held',
    joinedMs: member.joinedMs,
    evidence: JSON.stringify(member),
    claimedMs: now,
    vestsMs,
    checkMs: vests ? nextCheck({ vestsMs }, now) : null,
    unlinkedMs: null,
    endedMs: vests ? null : now,
    taken: 0,
  });
  return { state: paid.state, credits, balance: paid.balance };
}
