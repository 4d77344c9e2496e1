import type { Handlers } from '#server/http/implement.types.ts';
import type { Redeem } from '#server/modules/rewards/redeem/index.ts';
import type { redeem as contract } from '#shared/contract/earn.ts';
import type { adminRedemptions } from '#shared/contract/economy.ts';
import { iso } from '#shared/time.ts';
import { parseCursor } from './account-activity.ts';

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

/** Who redeemed a code, for staff. */
export function redemptionsHandlers({ redeem }: { redeem: Redeem }): Handlers<typeof adminRedemptions> {
  return {
    async list(ctx, { params, query }) {
      const cursor = parseCursor(query.before);
      const { rows, older } = await redeem.redemptions(ctx, params.id, cursor && { atMs: cursor.ms, id: cursor.id });
      return {
        rows: rows.map(({ id, userId, username, credits, atMs }) => ({
          id,
          user: { id: userId, username },
          credits,
          at: iso(atMs),
        })),
        older: older && `${older.atMs}.${older.id}`,
      };
    },
  };
}
