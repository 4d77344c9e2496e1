import { DomainError } from '#shared/errors.ts';
import { DAY, SECOND } from '#shared/time.ts';
import { runOnceIn } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { PayoutResult } from '../payout/index.ts';
import { isBeingChecked, type LinksDeps } from './deps.ts';
import { hasMoved, subnetOf, referenceOf, termsOf } from './policy.ts';
import type { Claim, Verdict } from './ports.ts';

export interface LinkReturn {
  /** Token of the return address. */
  readonly claim: string;
  /** What the provider gave the visitor; undefined where it gave nothing. */
  readonly proof?: string | undefined;
}
export interface FinishedClaim {
  readonly provider: Claim['provider'];
  readonly credits: number;
  readonly state: PayoutResult['state'];
  readonly balance: number;
}
type Step = { readonly done: FinishedClaim } | { readonly ask: Claim };

/** How long a proof that paid nothing is remembered (services, linkvertise); one that paid is never forgotten. */
export const PROOF_KEPT_MS = DAY;

/**
 * Ends a way: the visitor came back with the token of their claim. In three steps: what can be refused is refused and
 * the proof is taken (once for all claims); the provider is asked, outside of any transaction; what it says is written
 * down together with the reward. Only "yes" pays; "no", "unknown" and a fault keep the claim open for another run. Once
 * a claim. Throws FEATURE_DISABLED, LINK_CLAIM_UNKNOWN, LINK_CLAIM_USED, LINK_CLAIM_OVER, LINK_TOO_SOON, LINK_BUSY,
 * LINK_NOT_CONFIRMED, LINK_UNSURE, LINK_UNAVAILABLE, DAILY_CAP_REACHED, BUDGET_SPENT.
 */
export async function finishClaim(deps: LinksDeps, ctx: SignedIn, back: LinkReturn): Promise<FinishedClaim> {
  const step = await deps.uow.run((tx) => checkReturn(deps, tx, ctx, back));
  if ('done' in step) return step.done;
  const { ask: claim } = step;
  const provider = deps.providers.of(claim.provider);
  const verdict = await provider.check(back.proof ?? '', { claimId: claim.id, address: ctx.address });
  if (verdict.result === 'yes') return payVerified(deps, ctx, back, verdict);
  if (verdict.result !== 'no')
    deps.log.warn('link.check_failed', { provider: claim.provider, claim: claim.id, result: verdict.result });
  await deps.uow.run((tx) => tx.links.change(claim.id, { checkingMs: null, answer: verdict.answer }));
  throw new DomainError(verdict.result === 'no' ? 'LINK_NOT_CONFIRMED' : 'LINK_UNSURE');
}

/**
 * Handles what needs no provider: refusals, a stored answer, the reward of a provider that proves nothing. Else marks
 * the claim as being checked and returns it.
 */
async function checkReturn(deps: LinksDeps, tx: Tx, ctx: SignedIn, back: LinkReturn): Promise<Step> {
  const { actor, idempotency } = ctx;
  // Locked first: of the same request sent twice at once the second one waits here, and then finds the answer of the
  // first.
  const claim = await lockOwn(deps, tx, ctx, back.claim);
  if (idempotency && (await tx.idempotency.find(actor.userId, idempotency.key)))
    return { done: await storeAnswer(deps, tx, ctx, () => Promise.reject(new DomainError('LINK_CLAIM_USED'))) };
  assertOpen(deps, claim);
  const now = deps.clock.now();
  if (!termsOf(deps.settings.current(), claim.provider).enabled) throw new DomainError('LINK_UNAVAILABLE');
  if (now < claim.readyMs)
    throw new DomainError('LINK_TOO_SOON', { retryAfterS: Math.ceil((claim.readyMs - now) / SECOND) });
  const provider = deps.providers.of(claim.provider);
  if (!provider.proves) return { done: await storeAnswer(deps, tx, ctx, () => payClaim(deps, tx, ctx, claim, null)) };
  if (isBeingChecked(claim, now)) throw new DomainError('LINK_BUSY');
  const { proof = '' } = back;
  if (!provider.isProof(proof)) throw new DomainError('LINK_NOT_CONFIRMED');
  const proofHash = deps.ids.hash(proof);
  if (!(await tx.links.addProof({ provider: claim.provider, proofHash, claimId: claim.id, atMs: now })))
    throw new DomainError('LINK_NOT_CONFIRMED');
  await tx.links.change(claim.id, { checkingMs: now });
  return { ask: claim };
}

/** The reward of a way that its provider confirmed. The claim is looked at again: much can have happened meanwhile. */
function payVerified(deps: LinksDeps, ctx: SignedIn, back: LinkReturn, verdict: Verdict): Promise<FinishedClaim> {
  return deps.uow
    .run((tx) =>
      storeAnswer(deps, tx, ctx, async () => {
        const claim = await lockOwn(deps, tx, ctx, back.claim);
        assertOpen(deps, claim);
        await tx.links.keepProof(claim.provider, deps.ids.hash(back.proof ?? ''));
        return payClaim(deps, tx, ctx, claim, verdict);
      }),
    )
    .catch(async (error: unknown) => {
      // Cap or budget: the claim is free for another try.
      await deps.uow.run(async (tx) => {
        const claim = await tx.links.lockByToken(deps.ids.hash(back.claim));
        if (claim?.state === 'open') await tx.links.change(claim.id, { checkingMs: null });
      });
      throw error;
    });
}

/** The caller's claim of a token, locked. Somebody else's is as unknown as none (attacks T14). */
async function lockOwn(deps: LinksDeps, tx: Tx, ctx: SignedIn, token: string): Promise<Claim> {
  if (!deps.settings.current().links_enabled) throw new DomainError('FEATURE_DISABLED');
  const claim = await tx.links.lockByToken(deps.ids.hash(token));
  if (claim?.userId !== ctx.actor.userId) throw new DomainError('LINK_CLAIM_UNKNOWN');
  return claim;
}

/** Throws LINK_CLAIM_OVER or LINK_CLAIM_USED where a claim is worth nothing any more. */
function assertOpen({ clock }: LinksDeps, claim: Claim): void {
  if (claim.state === 'expired' || (claim.state === 'open' && clock.now() >= claim.expiresMs))
    throw new DomainError('LINK_CLAIM_OVER');
  if (claim.state !== 'open') throw new DomainError('LINK_CLAIM_USED');
}

/** Pays and closes the claim. Without proof, or come back from elsewhere, the reward waits for review. */
async function payClaim(
  deps: LinksDeps,
  tx: Tx,
  ctx: SignedIn,
  claim: Claim,
  verdict: Verdict | null,
): Promise<FinishedClaim> {
  const { userId, sessionId } = ctx.actor;
  const { credits, provider } = claim;
  const proof = verdict !== null && !hasMoved(claim, { sessionId, network: subnetOf(ctx.address) });
  const reward = {
    userId,
    source: 'link',
    amount: credits,
    reference: referenceOf(claim.id),
    subject: deps.providers.of(provider).name,
    proof,
  } as const;
  const { state, txId, balance } = await deps.payout.pay(tx, reward);
  const closed = {
    state,
    txId,
    closedMs: deps.clock.now(),
    checkingMs: null,
    tokenSealed: null,
    linkSealed: null,
  } as const;
  await tx.links.change(claim.id, { ...closed, ...(verdict ? { answer: verdict.answer } : {}) });
  return { provider, credits, state, balance };
}

/** The answer of a key is stored with the reward; a key seen before gives its answer. Joins the running transaction. */
function storeAnswer(
  deps: LinksDeps,
  tx: Tx,
  ctx: SignedIn,
  work: () => Promise<FinishedClaim>,
): Promise<FinishedClaim> {
  return runOnceIn(tx, deps.clock.now(), ctx, work);
}
