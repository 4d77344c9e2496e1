import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse } from '#server/modules/abuse/index.ts';
import type { Afk, AfkView } from '#server/modules/rewards/afk/index.ts';
import type { afk as contract, AfkState } from '#shared/contract/earn.ts';
import { iso } from '#shared/time.ts';

/** Earning by being present (AFK): the endpoints of behaviour 4.1. */
export function afkHandlers({
  afk,
  abuse,
}: {
  afk: Afk;
  abuse: Pick<Abuse, 'assertAdsLoaded'>;
}): Handlers<typeof contract> {
  return {
    state: async (ctx) => toAfkState(await afk.state(ctx)),
    start: async (ctx) => {
      await abuse.assertAdsLoaded(ctx);
      const started = await afk.start(ctx);
      return { session_id: started.sessionId, took_over: started.tookOver, state: toAfkState(started.state) };
    },
    stream: (ctx, { params }) => afk.stream(ctx, params.id, ctx.signal),
    beat: async (ctx, { params, body }) => {
      const beat = await afk.beat(ctx, params.id, body.challenge);
      return {
        counted_ms: beat.countedMs,
        next_payout_ms: beat.nextPayoutMs,
        earned: beat.earned,
        earned_today: beat.earnedToday,
      };
    },
    stop: (ctx) => afk.stop(ctx),
  };
}

function toAfkState(view: AfkView): AfkState {
  const { session } = view;
  return {
    now: iso(view.now),
    session: session && {
      id: session.id,
      device: session.device,
      started_at: iso(session.startedMs),
      earned: session.earned,
      counted_ms: session.countedMs,
      next_payout_ms: view.nextPayoutMs,
    },
    earned_today: view.earnedToday,
    cap: view.cap,
    per_minute: view.perMinute,
    budget_used: view.budgetUsed,
    budget: view.budget,
    resets_at: iso(view.resetsAtMs),
    held: view.held,
    week: view.week.map(({ day, credits }) => ({ day, credits })),
  };
}
