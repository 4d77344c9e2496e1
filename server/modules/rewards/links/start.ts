import { DomainError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import type { LinkProviderId } from '#shared/link-providers.ts';
import { SECOND } from '#shared/time.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { isBeingChecked, seal, unseal, type LinksDeps } from './deps.ts';
import { subnetOf, termsOf, waitUntil } from './policy.ts';
import type { Claim } from './ports.ts';
import { usageToday } from './views.ts';

/** The closing of a claim that ran out. */
const EXPIRED = { state: 'expired', tokenSealed: null, linkSealed: null, checkingMs: null } as const;

/**
 * Begins a way through a provider's pages, or goes on with the one that is open. Out: the claim and the address to send
 * the visitor to. The claim is written first; the provider is asked outside of the transaction, and may be asked again
 * for the same claim. Throws FEATURE_DISABLED, LINK_UNAVAILABLE, LINK_COOLDOWN, DAILY_CAP_REACHED, BUDGET_SPENT,
 * LINK_CLAIM_OVER (the key of a way that is over), LINK_BUSY, LINK_PROVIDER_FAILED.
 */
export async function startClaim(
  deps: LinksDeps,
  ctx: SignedIn,
  id: LinkProviderId,
): Promise<{ claimId: string; url: string }> {
  const { uow, clock } = deps;
  const { claimId } = await runOnce({ uow, now: clock.now() }, ctx, (tx) => openClaim(deps, tx, ctx, id));
  const locked = await uow.run((tx) => lockForLink(deps, tx, claimId));
  if ('url' in locked) return { claimId, url: locked.url };
  const way = await deps.providers
    .of(id)
    .createLink({ claimId, target: `${deps.appUrl()}${href('earn.links.return')}?claim=${locked.token}` });
  if ('failed' in way) {
    deps.log.warn('link.way_failed', { provider: id, claim: claimId, why: way.failed });
    await uow.run((tx) => tx.links.change(claimId, { checkingMs: null, answer: way.answer }));
    throw new DomainError('LINK_PROVIDER_FAILED');
  }
  await uow.run((tx) => tx.links.change(claimId, { checkingMs: null, linkSealed: seal(deps, claimId, way.url) }));
  return { claimId, url: way.url };
}

/** The claim of the way that begins: the open one, or a new one where the terms allow one. One start a user at a time. */
async function openClaim(deps: LinksDeps, tx: Tx, ctx: SignedIn, id: LinkProviderId): Promise<{ claimId: string }> {
  const values = deps.settings.current();
  if (!values.links_enabled) throw new DomainError('FEATURE_DISABLED');
  const terms = termsOf(values, id);
  if (!terms.enabled || !deps.providers.of(id).ready) throw new DomainError('LINK_UNAVAILABLE');
  const { userId, sessionId } = ctx.actor;
  await tx.identity.lockUser(userId);
  const now = deps.clock.now();
  const open = await tx.links.open(userId, id);
  // One whose token cannot be opened any more is of no use to anybody.
  if (open && now < open.expiresMs && unseal(deps, open.id, open.tokenSealed) !== null) return { claimId: open.id };
  if (open) await tx.links.change(open.id, { ...EXPIRED, closedMs: now });
  const { today, dayEndMs } = await usageToday(deps, tx, userId, id);
  const wait = waitUntil(terms, today, now, dayEndMs);
  if (wait)
    throw new DomainError('LINK_COOLDOWN', { retryAfterS: Math.max(1, Math.ceil((wait.untilMs - now) / SECOND)) });
  const refusal = await deps.counters.findRefusal(tx, { userId, source: 'link', amount: terms.credits });
  if (refusal) throw new DomainError(refusal);
  const claimId = deps.ids.uuid();
  const token = deps.ids.token();
  const claim: Claim = {
    id: claimId,
    userId,
    provider: id,
    tokenHash: deps.ids.hash(token),
    tokenSealed: seal(deps, claimId, token),
    linkSealed: null,
    credits: terms.credits,
    state: 'open',
    sessionId,
    network: subnetOf(ctx.address),
    startedMs: now,
    readyMs: now + terms.minMs,
    expiresMs: now + terms.maxMs,
    checkingMs: null,
    txId: null,
    closedMs: null,
  };
  if (!(await tx.links.add(claim))) throw new DomainError('CONFLICT');
  return { claimId };
}

/** The link of a claim where it has one; else marks the claim as being checked. Out: the token for the new link. */
async function lockForLink(deps: LinksDeps, tx: Tx, claimId: string): Promise<{ url: string } | { token: string }> {
  const claim = await tx.links.lock(claimId);
  const now = deps.clock.now();
  const token = claim && unseal(deps, claimId, claim.tokenSealed);
  if (claim?.state !== 'open' || now >= claim.expiresMs || !token) throw new DomainError('LINK_CLAIM_OVER');
  const url = unseal(deps, claimId, claim.linkSealed);
  if (url !== null) return { url };
  if (isBeingChecked(claim, now)) throw new DomainError('LINK_BUSY');
  await tx.links.change(claimId, { checkingMs: now });
  return { token };
}
