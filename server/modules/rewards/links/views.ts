import { LINK_PROVIDERS, type LinkProviderId } from '#shared/link-providers.ts';
import { wallTimeToMs } from '#shared/zoned.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { unseal, type LinksDeps } from './deps.ts';
import { termsOf, waitUntil, type Terms } from './policy.ts';
import type { Claim } from './ports.ts';

/** Ways shown on the page, newest first. */
const HISTORY = 20;

/** What a provider offers the caller now. */
interface Offer extends Terms {
  readonly id: LinkProviderId;
  readonly name: string;
  readonly proves: boolean;
  /** Rewards of today. */
  readonly used: number;
  /** The way that is open, with the address to go on with where it is known. */
  readonly open: { readonly url: string | null; readonly readyMs: number; readonly expiresMs: number } | null;
  /** Why no way may begin now, and until when. */
  readonly wait: { readonly reason: 'cooldown' | 'daily'; readonly untilMs: number } | null;
}
export interface LinksPage {
  readonly offers: readonly Offer[];
  readonly history: readonly (Claim & { readonly name: string })[];
  readonly earnedToday: number;
  readonly cap: number;
  readonly budgetSpent: boolean;
  readonly resetsAtMs: number;
}

/** Where a user stands with a provider: rewards of the calendar day, when the newest was, and when the day ends. */
export async function usageToday(
  deps: LinksDeps,
  tx: Tx,
  userId: string,
  id: LinkProviderId,
): Promise<{ today: { count: number; lastMs: number | null }; dayEndMs: number }> {
  const { day, resetsAtMs } = await deps.counters.state(tx, userId, 'link');
  const startMs = wallTimeToMs(`${day}T00:00`, deps.settings.current().app_timezone) ?? 0;
  return { today: await tx.links.rewarded(userId, id, startMs), dayEndMs: resetsAtMs };
}

/** What the caller's page shows. */
export function linksPage(deps: LinksDeps, ctx: SignedIn): Promise<LinksPage> {
  const { userId } = ctx.actor;
  return deps.uow.read(async (tx) => {
    const { earnedToday, cap, budget, budgetUsed, resetsAtMs } = await deps.counters.state(tx, userId, 'link');
    const offers: Offer[] = [];
    for (const id of LINK_PROVIDERS) {
      const offer = await offerOf(deps, tx, userId, id);
      if (offer) offers.push(offer);
    }
    const history = await tx.links.history(userId, HISTORY);
    const named = history.map((claim) => ({ ...claim, name: deps.providers.of(claim.provider).name }));
    return { offers, history: named, earnedToday, cap, budgetSpent: budget > 0 && budgetUsed >= budget, resetsAtMs };
  });
}

async function offerOf(deps: LinksDeps, tx: Tx, userId: string, id: LinkProviderId): Promise<Offer | null> {
  const terms = termsOf(deps.settings.current(), id);
  const provider = deps.providers.of(id);
  if (!terms.enabled || !provider.ready) return null;
  const now = deps.clock.now();
  const { today, dayEndMs } = await usageToday(deps, tx, userId, id);
  const claim = await tx.links.open(userId, id);
  const open = claim && now < claim.expiresMs ? claim : null;
  return {
    ...terms,
    id,
    name: provider.name,
    proves: provider.proves,
    used: today.count,
    open: open && { url: unseal(deps, open.id, open.linkSealed), readyMs: open.readyMs, expiresMs: open.expiresMs },
    wait: open ? null : waitUntil(terms, today, now, dayEndMs),
  };
}
