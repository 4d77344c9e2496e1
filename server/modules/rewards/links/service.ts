import type { LinkProviderId } from '#shared/link-providers.ts';
import { DAY } from '#shared/time.ts';
import { subscriber } from '../../events/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { LinksDeps } from './deps.ts';
import { finishClaim, PROOF_KEPT_MS, type FinishedClaim, type LinkReturn } from './finish.ts';
import { startClaim } from './start.ts';
import { linksPage, type LinksPage } from './views.ts';

/** How long the network of a closed claim is kept, and a claim that came to nothing, for questions about it. */
const KEPT_MS = 30 * DAY;

export type Links = ReturnType<typeof createLinks>;

/** Links for rewards (behaviour 4.5). */
export function createLinks(deps: LinksDeps) {
  const { uow, clock } = deps;
  return {
    /** What may be begun, what is open and what came of earlier ways. */
    page: (ctx: SignedIn): Promise<LinksPage> => linksPage(deps, ctx),
    /** See `startClaim`. */
    start: (ctx: SignedIn, provider: LinkProviderId): Promise<{ claimId: string; url: string }> =>
      startClaim(deps, ctx, provider),
    /** See `finishClaim`. */
    finish: (ctx: SignedIn, back: LinkReturn): Promise<FinishedClaim> => finishClaim(deps, ctx, back),
    /** Closes what ran out and forgets what is kept for a time. For the scheduler. */
    tidy(): Promise<void> {
      const now = clock.now();
      return uow.run((tx) => tx.links.tidy(now, { closedMs: now - KEPT_MS, proofsMs: now - PROOF_KEPT_MS }));
    },
    subscriptions: [
      subscriber('reward.released', (tx, { reference }) => recordDecision(tx, reference, 'paid')),
      subscriber('reward.rejected', (tx, { reference }) => recordDecision(tx, reference, 'rejected')),
      // What was open while nothing ran gets the time back.
      subscriber('installation.resumed', (tx, { fromMs, untilMs }) => tx.links.extendOpen(fromMs, untilMs - fromMs)),
    ],
  };
}

/** Notes what became of a reward on hold; nothing where the reference is none of ours. */
async function recordDecision(tx: Tx, reference: string, state: 'paid' | 'rejected'): Promise<void> {
  const claimId = /^link:([0-9a-f-]{36})$/.exec(reference)?.[1];
  const claim = claimId === undefined ? null : await tx.links.lock(claimId);
  if (claim?.state === 'held') await tx.links.change(claim.id, { state });
}
