import type { Handlers } from '#server/http/implement.types.ts';
import type { Gifts } from '#server/modules/gifts/index.ts';
import type { Leaderboard } from '#server/modules/leaderboard/index.ts';
import { badgeOf, type Profile, type Profiles } from '#server/modules/profiles/index.ts';
import type {
  gifts as giftsContract,
  leaderboard as leaderboardContract,
  profiles as profilesContract,
} from '#shared/contract/community.ts';
import type { Flags } from '#shared/flags.ts';
import type { ProfileField } from '#shared/profile.ts';
import { iso } from '#shared/time.ts';
import { skinUrl } from './skin-url.ts';

/** The leaderboard: the endpoint of behaviour 7.1. */
export function leaderboardHandlers({
  leaderboard,
  profiles,
}: {
  leaderboard: Pick<Leaderboard, 'view'>;
  profiles: Pick<Profiles, 'badges'>;
}): Handlers<typeof leaderboardContract> {
  return {
    async get(ctx, { query }) {
      const board = query.board ?? 'credits';
      const { places, players, own } = await leaderboard.view(ctx.actor.userId, board);
      const badges = await profiles.badges(places.map(({ userId }) => userId));
      return {
        board,
        places: places.map(({ rank, userId, username, score, linked }) => ({
          rank,
          id: userId,
          username,
          score,
          linked,
          badge: badges.get(userId) ?? null,
        })),
        players,
        own: { score: own.score, rank: own.rank, to_next: own.toNext, hidden: own.hidden },
      };
    },
  };
}

/** Profiles, the search by name, and what one shows of oneself: the endpoints of behaviour 7.2. */
export function profilesHandlers({
  profiles,
  settings,
}: {
  profiles: Profiles;
  settings: { flags(): Flags };
}): Handlers<typeof profilesContract> {
  return {
    async get(ctx, { params }) {
      return toProfile(await profiles.profile(ctx, params.id), settings.flags());
    },
    lookup: (_ctx, { query }) => profiles.lookup(query.q ?? ''),
    privacy: async (ctx) => {
      const { fields, ...rest } = await profiles.privacy(ctx);
      return { ...rest, fields: [...fields] };
    },
    setPrivacy: (ctx, { body }) => profiles.setPrivacy(ctx, body),
  };
}

/** The visible part of a profile. Its owner sees no more of it than others do. */
function toProfile({ user, own, fields, scores, rank, skin }: Profile, flags: Flags) {
  const ifVisible = <T>(field: ProfileField, value: T): T | null => (fields.includes(field) ? value : null);
  const { privacy } = user;
  return {
    id: user.id,
    username: user.username,
    own,
    public: privacy.profile,
    avatar: fields.includes('skin') ? privacy.avatar : ('letters' as const),
    background: privacy.background,
    fields: [...fields],
    badge: badgeOf(user),
    role: ifVisible('role', user.role),
    supporter: ifVisible('supporter', user.supporter),
    since: ifVisible('since', iso(user.createdMs)),
    skin: skin && skinUrl(user.id, skin),
    rank: ifVisible('rank', rank),
    credits: ifVisible('credits', scores.credits),
    month: ifVisible('month', scores.month),
    afk: ifVisible('afk', scores.afk),
    servers: ifVisible('servers', scores.servers),
    referrals: ifVisible('referrals', scores.referrals),
    giftable: !own && flags.allow_coins_sharing,
  };
}

/** Gifts: the endpoints of behaviour 5.4. */
export function giftsHandlers({ gifts }: { gifts: Gifts }): Handlers<typeof giftsContract> {
  return {
    async form(ctx, { params }) {
      const form = await gifts.form(ctx, params.id);
      return {
        recipient: form.recipient,
        balance: form.balance,
        min: form.min,
        max: form.max,
        fee_percent: form.feePercent,
        left_today: form.leftToday,
        opens_at: iso(form.opensMs),
        open: form.open,
      };
    },
    send: (ctx, { body }) =>
      gifts.send(ctx, { recipientId: body.recipient, amount: body.amount, total: body.total, note: body.note ?? '' }),
  };
}
