import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse, HeldReward } from '#server/modules/abuse/index.ts';
import type { Challenge } from '#server/modules/challenge/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import type {
  adCheck,
  challenge as challengeContract,
  heldRewards,
  HeldReward as Shown,
} from '#shared/contract/abuse.ts';
import { iso } from '#shared/time.ts';
import { deviceOf } from './session-cookies.ts';

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** A held reward without what only staff may know. */
export function shownHeld(held: HeldReward): Shown {
  return {
    id: held.id,
    source: held.source,
    amount: held.amount,
    subject: held.subject,
    state: held.state,
    release_at: isoOrNull(held.releaseMs),
    held_at: iso(held.createdMs),
    decided_at: isoOrNull(held.decidedMs),
    note: held.note,
  };
}

/** A user's own held rewards. */
export function heldRewardsHandlers({
  abuse,
}: {
  readonly abuse: Pick<Abuse, 'listOwn' | 'appeal'>;
}): Handlers<typeof heldRewards> {
  return {
    async list(ctx) {
      const rewards = await abuse.listOwn(ctx);
      return {
        rewards: rewards.map(shownHeld),
        waiting: rewards.reduce((sum, { state, amount }) => sum + (state === 'open' ? amount : 0), 0),
      };
    },
    appeal: (ctx, { params, body }) => abuse.appeal(ctx, params.id, body.note),
  };
}

/** What a browser has to solve. */
export function challengeHandlers({
  challenge,
  ids,
}: {
  readonly challenge: Pick<Challenge, 'offer'>;
  readonly ids: Pick<Ids, 'token'>;
}): Handlers<typeof challengeContract> {
  return {
    async offer(ctx, { query }) {
      const offer = await challenge.offer(query.action, { ctx, device: deviceOf(ctx.cookies, () => ids.token()) });
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
    bait: (ctx) => ({ type: 'text/plain', body: abuse.createAdsToken(ctx), state: ids.token(), keep: false }),
    confirm: (ctx, { body }) => abuse.confirmAds(ctx, body.token),
  };
}
