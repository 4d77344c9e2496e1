import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB, EarlySupporters, Roles, Users } from '#server/data/schema.ts';
import type { BadgeRow, ProfilesRepo } from '#server/modules/profiles/ports.ts';
import { AVATARS, BACKGROUNDS, BADGES, DEFAULT_PRIVACY, PROFILE_FIELDS, type Privacy } from '#shared/profile.ts';

interface Stored {
  readonly leaderboard: 0 | 1 | null;
  readonly profile: 0 | 1 | null;
  readonly fields: string | null;
  readonly avatar: string | null;
  readonly background: string | null;
  readonly badge: string | null;
}

/** A stored row, or the defaults where there is none. Words that a later version may have written are left out. */
function toPrivacy(row: Stored | undefined): Privacy {
  if (!row || row.fields === null) return DEFAULT_PRIVACY;
  const chosen: unknown = JSON.parse(row.fields);
  return {
    leaderboard: row.leaderboard === 1,
    profile: row.profile === 1,
    fields: PROFILE_FIELDS.filter((field) => Array.isArray(chosen) && chosen.includes(field)),
    avatar: AVATARS.find((avatar) => avatar === row.avatar) ?? DEFAULT_PRIVACY.avatar,
    background: BACKGROUNDS.find((background) => background === row.background) ?? DEFAULT_PRIVACY.background,
    badge: toBadge(row.badge),
  };
}
const toBadge = (word: string | null) => BADGES.find((badge) => badge === word) ?? DEFAULT_PRIVACY.badge;

/** Asked for with every gift. */
const PROFILE = `SELECT u.id, u.username, u.status, u.banned_until_ms, u.created_ms, r.name, r.color, s.state AS supporter, p.leaderboard, p.profile, p.fields, p.avatar, p.background, p.badge
  FROM users u JOIN roles r ON r.id = u.role_id LEFT JOIN user_privacy p ON p.user_id = u.id
  LEFT JOIN early_supporters s ON s.user_id = u.id WHERE u.id = ?`;
type StoredUser = Pick<Selectable<Users>, 'id' | 'username' | 'status' | 'banned_until_ms' | 'created_ms'> &
  Pick<Selectable<Roles>, 'name' | 'color'> & { readonly supporter: EarlySupporters['state'] | null };

const COLUMNS = [
  'user_privacy.leaderboard',
  'user_privacy.profile',
  'user_privacy.fields',
  'user_privacy.avatar',
  'user_privacy.background',
  'user_privacy.badge',
] as const;

/** What users show of themselves, in the database. */
export function createProfilesRepo(db: Kysely<DB>, raw: Raw): ProfilesRepo {
  return {
    async find(userId, nowMs) {
      const row = await raw.one<StoredUser & Stored>(PROFILE, [userId]);
      if (!row) return null;
      const active =
        row.status === 'active' ||
        (row.status === 'banned' && row.banned_until_ms !== null && row.banned_until_ms <= nowMs);
      return {
        id: row.id,
        username: row.username,
        active,
        role: { name: row.name, color: row.color },
        supporter: row.supporter === 'paid',
        createdMs: row.created_ms,
        privacy: toPrivacy(row),
      };
    },
    async privacy(userId) {
      return toPrivacy(
        await db.selectFrom('user_privacy').select(COLUMNS).where('user_id', '=', userId).executeTakeFirst(),
      );
    },
    async badges(userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('user_privacy as p')
        .innerJoin('users as u', 'u.id', 'p.user_id')
        .innerJoin('roles as r', 'r.id', 'u.role_id')
        .leftJoin('early_supporters as s', 's.user_id', 'p.user_id')
        .select(['p.user_id', 'p.badge', 'r.name', 'r.color', 's.state'])
        .where('p.user_id', 'in', userIds)
        .where('p.badge', '<>', 'none')
        .execute();
      return new Map(
        rows.map(({ user_id: id, badge, name, color, state }): [string, BadgeRow] => [
          id,
          { chosen: toBadge(badge), role: { name, color }, supporter: state === 'paid' },
        ]),
      );
    },
    async setPrivacy(userId, { leaderboard, profile, fields, avatar, background, badge }, atMs) {
      const values = {
        leaderboard: leaderboard ? 1 : 0,
        profile: profile ? 1 : 0,
        fields: JSON.stringify(fields),
        avatar,
        background,
        badge,
        updated_ms: atMs,
      } as const;
      await db
        .insertInto('user_privacy')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
    },
    search(prefix, limit, nowMs) {
      // A stretch of the unique index: names are letters, digits, dot, underscore and dash, all of which stand before
      // `~`.
      return db
        .selectFrom('users')
        .leftJoin('user_privacy', 'user_privacy.user_id', 'users.id')
        .select(['users.id', 'users.username'])
        .where('users.username_key', '>=', prefix)
        .where('users.username_key', '<', `${prefix}~`)
        .where((is) =>
          is.or([
            is('users.status', '=', 'active'),
            is.and([is('users.status', '=', 'banned'), is('users.banned_until_ms', '<=', nowMs)]),
          ]),
        )
        .where((is) => is.or([is('user_privacy.profile', 'is', null), is('user_privacy.profile', '=', 1)]))
        .orderBy('users.username_key')
        .limit(limit)
        .execute();
    },
  };
}
