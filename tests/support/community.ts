import { createGifts } from '#server/modules/gifts/index.ts';
import { createLeaderboard } from '#server/modules/leaderboard/index.ts';
import { createProfiles } from '#server/modules/profiles/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { giftPrice } from '#shared/gift.ts';
import { DEFAULT_PRIVACY, type Privacy } from '#shared/profile.ts';
import { coinWorld } from './coins.ts';
import type { Engine } from './db.ts';

export type CommunityWorld = Awaited<ReturnType<typeof communityWorld>>;

/** The world of coins with what people see of each other and give each other. */
export async function communityWorld(engine: Engine = 'sqlite', over: (uow: UnitOfWork) => UnitOfWork = (uow) => uow) {
  let wrapped: UnitOfWork | undefined;
  const world = await coinWorld(engine, (uow) => (wrapped = over(uow)));
  const deps = { ...world, uow: wrapped ?? world.uow };
  const leaderboard = createLeaderboard(deps);
  const profiles = createProfiles({ ...deps, leaderboard });
  const gifts = createGifts({ ...deps, profiles });
  return {
    ...world,
    leaderboard,
    profiles,
    gifts,
    /** A gift as the form sends it: at the total of the fee that is set. */
    gift: (from: SignedIn, to: SignedIn, amount: number, note = '') =>
      gifts.send(from, {
        recipientId: to.actor.userId,
        amount,
        total: giftPrice(amount, world.settings.current().gift_fee_percent).total,
        note,
      }),
    /** Changes a part of what a user shows. */
    shows: (who: SignedIn, change: Partial<Privacy>) => profiles.setPrivacy(who, { ...DEFAULT_PRIVACY, ...change }),
    status: async (who: SignedIn, status: 'active' | 'banned' | 'deleted') => {
      await world.db.sql('UPDATE users SET status = ? WHERE id = ?', [status, who.actor.userId]);
    },
  };
}
