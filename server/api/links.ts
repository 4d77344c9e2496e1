import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse } from '#server/modules/abuse/index.ts';
import type { Challenge } from '#server/modules/challenge/index.ts';
import type { Links } from '#server/modules/rewards/links/index.ts';
import type { links as contract } from '#shared/contract/links.ts';
import { iso, MINUTE, SECOND } from '#shared/time.ts';

interface Services {
  readonly links: Links;
  readonly abuse: Pick<Abuse, 'assertAdsLoaded'>;
  readonly challenge: Pick<Challenge, 'verify'>;
}

/**
 * Links for rewards: the endpoints of behaviour 4.5. A claim starts after the ad-blocker check and the challenge
 * (behaviour 4.6).
 */
export function linksHandlers({ links, abuse, challenge }: Services): Handlers<typeof contract> {
  return {
    page: async (ctx) => {
      const page = await links.page(ctx);
      return {
        providers: page.offers.map(({ id, name, credits, used, daily, minMs, maxMs, proves, open, wait }) => ({
          id,
          name,
          credits,
          used,
          daily,
          proves,
          min_seconds: Math.round(minMs / SECOND),
          max_minutes: Math.round(maxMs / MINUTE),
          open: open && { url: open.url, ready_at: iso(open.readyMs), expires_at: iso(open.expiresMs) },
          wait: wait && { reason: wait.reason, until: iso(wait.untilMs) },
        })),
        history: page.history.map(({ id, name, credits, startedMs, closedMs, state }) => ({
          id,
          name,
          credits,
          state,
          at: iso(closedMs ?? startedMs),
        })),
        earned_today: page.earnedToday,
        cap: page.cap,
        budget_spent: page.budgetSpent,
        resets_at: iso(page.resetsAtMs),
      };
    },
    start: async (ctx, { body }) => {
      await abuse.assertAdsLoaded(ctx);
      await challenge.verify('link', { ctx }, body.challenge);
      const { url } = await links.start(ctx, body.provider);
      return { url };
    },
    finish: (ctx, { body }) => links.finish(ctx, body),
  };
}
