import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse, HeldReward } from '#server/modules/abuse/index.ts';
import type { Challenge } from '#server/modules/challenge/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import type {
  adCheck,
  challenge as challengeContract,
  heldRewards,
  HeldReward as HeldRewardView,
} from '#shared/contract/abuse.ts';
import { iso } from '#shared/time.ts';
import { ensureDevice } from './session-cookies.ts';

/** A reward on hold as its user sees it: without what only staff may know. */
export function toHeldRewardView(held: HeldReward): HeldRewardView {
  return {
    id: held.id,
    source: held.source,
    amount: held.amount,
    subject: held.subject,
    state: held.state,
    release_at: iso(held.releaseMs),
    held_at: iso(held.createdMs),
    decided_at: iso(held.decidedMs),
    note: held.note,
  };
}

/** A user's own rewards on hold. */
export function heldRewardsHandlers({
  abuse,
}: {
  readonly abuse: Pick<Abuse, 'listOwn' | 'appeal'>;
}): Handlers<typeof heldRewards> {
  return {
    async list(ctx) {
      const rewards = await abuse.listOwn(ctx);
      return {
        rewards: rewards.map(toHeldRewardView),
        waiting: rewards.reduce((sum, { state, amount }) => sum + (state === 'open' ? amount : 0), 0),
      };
    },
    appeal: (ctx, { params, body }) => abuse.appeal(ctx, params.id, body.note),
  };
}

/** The challenge that a browser has to solve before some commands. */
export function challengeHandlers({
  challenge,
  ids,
}: {
  readonly challenge: Pick<Challenge, 'offer'>;
  readonly ids: Pick<Ids, 'token'>;
}): Handlers<typeof challengeContract> {
  return {
    async offer(ctx, { query }) {
      const offer = await challenge.offer(query.action, { ctx, device: ensureDevice(ctx.cookies, () => ids.token()) });
      return {
        kind: offer.kind,
        puzzle: offer.kind === 'altcha' ? offer.puzzle : '',
        site_key: offer.kind === 'turnstile' ? offer.siteKey : '',
        script: offer.kind === 'turnstile' ? offer.script : '',
      };
    },
  };
}

/** The ad-blocker check. */
export function adCheckHandlers({
  abuse,
  ids,
}: {
  readonly abuse: Pick<Abuse, 'createAdsToken' | 'confirmAds'>;
  readonly ids: Pick<Ids, 'token'>;
}): Handlers<typeof adCheck> {
  return {
    bait: (ctx) => ({ type: 'text/plain', body: abuse.createAdsToken(ctx), version: ids.token(), immutable: false }),
    confirm: (ctx, { body }) => abuse.confirmAds(ctx, body.token),
  };
}
