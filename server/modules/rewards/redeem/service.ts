import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import type { SettingValues } from '#shared/settings.ts';
import { runOnceIn } from '../../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../../kernel.ts';
import { assertMay } from '../../permit.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import type { Counters } from '../counters/index.ts';
import type { PayoutResult, Payout } from '../payout/index.ts';
import { countsAsTry, liveTries, refusalOf, TRY_WINDOW_MS } from './policy.ts';
import type { RedeemCode, RedeemUse, Tries, UseCursor } from './ports.ts';

/** Uses shown on the page, newest first. */
const HISTORY = 50;
/** Redemptions of a code that staff read at once. */
const USES = 50;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly payout: Pick<Payout, 'creditReward'>;
  readonly counters: Counters;
  readonly settings: { current(): SettingValues };
}
interface Redeemed {
  readonly credits: number;
  readonly balance: number;
  /** `held`: the credits wait for review (behaviour 4.6). */
  readonly state: PayoutResult['state'];
}
interface RedeemPage {
  readonly history: readonly RedeemUse[];
  readonly triesLeft: number;
  readonly earnedToday: number;
  readonly cap: number;
  readonly budgetSpent: boolean;
}
type Outcome = { readonly redeemed: Redeemed } | { readonly refused: DomainError };
export type Redeem = ReturnType<typeof createRedeem>;

/** Redeem codes (behaviour 4.2). */
export function createRedeem(deps: Deps) {
  const { uow, clock } = deps;

  /**
   * Redeems a code for the caller. A refusal that tells something about a code counts as a wrong try, so that codes
   * cannot be probed by being refused; one that would have met any code (cap or budget used up) is answered before the
   * code is read, so it tells nothing and does not count. Check and count are one transaction that commits also when it
   * refuses: of fifty guesses at once ten are looked at. Throws CODE_UNKNOWN, CODE_ALREADY_USED, CODE_OWN (made or
   * changed by the caller), CODE_DISABLED, CODE_NOT_STARTED, CODE_EXPIRED, CODE_EXHAUSTED, ACCOUNT_TOO_YOUNG,
   * DAILY_CAP_REACHED, BUDGET_SPENT, RATE_LIMITED.
   */
  async function redeem(ctx: SignedIn, typed: string): Promise<Redeemed> {
    const outcome = await uow.run((tx) => redeemOnce(deps, tx, ctx, typed));
    if ('refused' in outcome) throw outcome.refused;
    return outcome.redeemed;
  }

  /** What the caller redeemed so far, and how many wrong tries are left in this hour. */
  function page(ctx: SignedIn): Promise<RedeemPage> {
    const userId = ctx.actor.userId;
    return uow.read(async (tx) => {
      const { earnedToday, cap, budget, budgetUsed } = await deps.counters.state(tx, userId, 'redeem');
      const tries = liveTries(await tx.redeem.tries(userId), clock.now());
      return {
        history: await tx.redeem.history(userId, HISTORY),
        triesLeft: Math.max(0, deps.settings.current().redeem_wrong_tries - tries.count),
        earnedToday,
        cap,
        budgetSpent: budget > 0 && budgetUsed >= budget,
      };
    });
  }

  /**
   * Who redeemed a code, newest first, a page at a time. `older`: where the next page begins; null: there is none.
   * Throws FORBIDDEN, NOT_FOUND.
   */
  async function redemptions(ctx: SignedIn, codeId: string, before: UseCursor | null) {
    assertMay(ctx, 'admin.redeem.codes.list');
    const found = await uow.read((tx) => tx.redeem.usesOf(codeId, before, USES + 1));
    if (!found) throw new DomainError('NOT_FOUND');
    const rows = found.slice(0, USES);
    return { rows, older: found.length > USES ? (rows.at(-1) ?? null) : null };
  }

  return { redeem, page, redemptions };
}

async function redeemOnce(deps: Deps, tx: Tx, ctx: SignedIn, typed: string): Promise<Outcome> {
  const now = deps.clock.now();
  const tries = liveTries(await tx.redeem.lockTries(ctx.actor.userId, now), now);
  let refused: DomainError | null = null;
  // A key seen before: its stored answer, whatever became of the code and the tries since.
  const redeemed = await runOnceIn(tx, now, ctx, async () => {
    const outcome = await decide(deps, tx, ctx, { typed, tries, now });
    if ('redeemed' in outcome) return outcome.redeemed;
    refused = outcome.refused;
    return null;
  });
  if (redeemed) return { redeemed };
  // What was refused may be asked again under the same key.
  if (ctx.idempotency) await tx.idempotency.release(ctx.actor.userId, ctx.idempotency.key);
  return { refused: refused ?? new DomainError('IDEMPOTENCY_MISMATCH') };
}

/** Refuses a code, which may count as a wrong try, or pays it. */
async function decide(
  deps: Deps,
  tx: Tx,
  ctx: SignedIn,
  { typed, tries, now }: { readonly typed: string; readonly tries: Tries; readonly now: number },
): Promise<Outcome> {
  const { userId } = ctx.actor;
  if (tries.count >= deps.settings.current().redeem_wrong_tries) return { refused: tooManyTries(tries, now) };

  const spent = await findCapRefusal(deps, tx, userId);
  if (spent) return { refused: new DomainError(spent) };
  const key = normaliseCode(typed);
  const code = key === '' ? null : await tx.redeem.findCode(key);
  const { sinceMs, used } = await tx.redeem.findFacts(userId, code?.id ?? null);
  // Nobody pays themselves; who may do everything could give themselves credits anyway, and the owner of a new
  // installation tries a code out.
  const own = code !== null && code.writers.includes(userId) && !can(ctx.actor.permissions, 'admin.root');
  const refusal =
    (own ? 'CODE_OWN' : refusalOf(code, used, now - (sinceMs ?? now), now)) ??
    (await deps.counters.tryCount(tx, { userId, source: 'redeem', amount: code?.credits ?? 0 }));
  if (!refusal && code) return { redeemed: await payOut(deps, tx, ctx, code) };
  if (!refusal) throw new Error('a code that is unknown is refused');
  if (countsAsTry(refusal))
    await tx.redeem.saveTries(userId, { windowStartMs: tries.windowStartMs, count: tries.count + 1 });
  return { refused: new DomainError(refusal) };
}

/** Why no code at all would pay this user today; null where one may. */
async function findCapRefusal(
  { counters }: Deps,
  tx: Tx,
  userId: string,
): Promise<'DAILY_CAP_REACHED' | 'BUDGET_SPENT' | null> {
  const { earnedToday, cap, budget, budgetUsed } = await counters.state(tx, userId, 'redeem');
  if (cap > 0 && earnedToday >= cap) return 'DAILY_CAP_REACHED';
  return budget > 0 && budgetUsed >= budget ? 'BUDGET_SPENT' : null;
}

/** Carries out what was decided. Anything thrown here takes the whole transaction back. */
async function payOut({ clock, ids, payout }: Deps, tx: Tx, ctx: SignedIn, code: RedeemCode): Promise<Redeemed> {
  const { userId } = ctx.actor;
  const { txId, state, balance } = await payout.creditReward(tx, {
    userId,
    source: 'redeem',
    amount: code.credits,
    reference: `redeem:${code.id}:${userId}`,
    subject: code.code,
    code: code.id,
  });
  await tx.redeem.addUse({
    id: ids.uuid(),
    codeId: code.id,
    userId,
    code: code.code,
    credits: code.credits,
    txId,
    atMs: clock.now(),
  });
  // What was read of the code may be used up since: this decides, and only from here on others wait for its row.
  if (!(await tx.redeem.countUse(code.id))) throw new DomainError('CODE_EXHAUSTED');
  return { credits: code.credits, balance, state };
}

function tooManyTries(tries: Tries, now: number): DomainError {
  return new DomainError('RATE_LIMITED', {
    retryAfterS: Math.max(1, Math.ceil((tries.windowStartMs + TRY_WINDOW_MS - now) / 1000)),
  });
}
