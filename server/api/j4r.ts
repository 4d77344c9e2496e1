import type { Handlers } from '#server/http/implement.types.ts';
import type { Card, J4r } from '#server/modules/rewards/j4r/index.ts';
import type { j4r as contract } from '#shared/contract/discord.ts';
import { iso } from '#shared/time.ts';

/** The address of an invite, as Discord documents it. */
const INVITE_URL = 'https://discord.gg/';

function toCardView({ invite, paysMembers, sinceMs, claimedMs, vestsMs, endedMs, ...card }: Card) {
  return {
    ...card,
    invite_url: invite === null ? null : INVITE_URL + encodeURIComponent(invite),
    pays_members: paysMembers,
    since: iso(sinceMs),
    claimed_at: iso(claimedMs),
    vests_at: iso(vestsMs),
    ended_at: iso(endedMs),
  };
}

/** Join for rewards: the endpoints of behaviour 4.3. */
export function j4rHandlers({ j4r }: { j4r: J4r }): Handlers<typeof contract> {
  return {
    async page(ctx) {
      const { available, linked, earnedToday, cap, budgetSpent, vestingDays, servers } = await j4r.page(ctx);
      return {
        available,
        linked,
        earned_today: earnedToday,
        cap,
        budget_spent: budgetSpent,
        vesting_days: vestingDays,
        servers: servers.map(toCardView),
      };
    },
    claim: (ctx, { params }) => j4r.claim(ctx, params.id),
  };
}
