import type { Handlers } from '#server/http/implement.types.ts';
import type { Redeem } from '#server/modules/rewards/redeem/index.ts';
import type { redeem as contract } from '#shared/contract/earn.ts';
import { iso } from '#shared/time.ts';

/** Redeem codes: the endpoints of behaviour 4.2. */
export function redeemHandlers({ redeem }: { redeem: Redeem }): Handlers<typeof contract> {
  return {
    history: async (ctx) => {
      const page = await redeem.page(ctx);
      return {
        history: page.history.map(({ id, code, credits, atMs }) => ({ id, code, credits, at: iso(atMs) })),
        tries_left: page.triesLeft,
        earned_today: page.earnedToday,
        cap: page.cap,
        budget_spent: page.budgetSpent,
      };
    },
    redeem: (ctx, { body }) => redeem.redeem(ctx, body.code),
  };
}
