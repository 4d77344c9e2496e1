import { DomainError } from '#shared/errors.ts';
import type { Flags } from '#shared/flags.ts';
import type { Board } from '#shared/leaderboard.ts';
import type { BadgeKind, Privacy, ProfileField } from '#shared/profile.ts';
import { LOOKUP_MIN } from '#shared/schemas/community.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Leaderboard } from '../leaderboard/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { BadgeRow, ProfileRow } from './ports.ts';

/** People a look-up gives at most (behaviour 7.2). */
const FOUND = 10;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly leaderboard: Pick<Leaderboard, 'scores' | 'show'>;
  readonly settings: { flags(): Flags };
}
/** The badge beside a name; `role` where it is that of the role. */
export interface Badge {
  readonly kind: Exclude<BadgeKind, 'none'>;
  readonly role: ProfileRow['role'] | null;
}
export interface Profile {
  readonly user: ProfileRow;
  readonly own: boolean;
  /** Parts that are shown to the one who asks. */
  readonly fields: readonly ProfileField[];
  readonly scores: Readonly<Record<Board, number>>;
  /** By credits; null where they are not on the leaderboard. */
  readonly rank: number | null;
  /** Fingerprint of the skin; null for the one everybody starts with, and where it is not shown. */
  readonly skin: string | null;
}
interface Found {
  readonly id: string;
  readonly username: string;
  readonly badge: Badge | null;
}
export type Profiles = ReturnType<typeof createProfiles>;

/**
 * What users show of themselves, and how they are found (behaviour 7.2). One rule decides who is seen, and every path
 * asks it.
 */
export function createProfiles({ uow, clock, ids, leaderboard, settings }: Deps) {
  /**
   * A user whom others may see: with a public profile, neither banned nor deleted; or the one who asks. Null for
   * everybody else and nobody alike.
   */
  async function findVisible(tx: Tx, viewerId: string, userId: string): Promise<ProfileRow | null> {
    const user = await tx.profiles.find(userId, clock.now());
    if (!user) return null;
    if (user.id === viewerId) return user;
    return user.active && user.privacy.profile ? user : null;
  }

  /** A profile as the caller may see it. Throws NOT_FOUND for the unknown, the hidden, the banned and the deleted alike. */
  function profile(ctx: SignedIn, userId: string): Promise<Profile> {
    const viewerId = ctx.actor.userId;
    return uow.read(async (tx) => {
      const user = await findVisible(tx, viewerId, userId);
      if (!user) throw new DomainError('NOT_FOUND');
      const { fields } = user.privacy;
      const { scores, rank } = await leaderboard.scores(tx, userId);
      const skin = fields.includes('skin') ? await tx.skins.fingerprint(userId) : null;
      return { user, own: userId === viewerId, fields, scores, rank, skin };
    });
  }

  /** Whether the caller may see a user's skin: their own, or one that a public profile shows. */
  async function showsSkin(tx: Tx, viewerId: string, userId: string): Promise<boolean> {
    if (viewerId === userId) return true;
    if (!settings.flags().allow_public_profiles) return false;
    return (await findVisible(tx, viewerId, userId))?.privacy.fields.includes('skin') === true;
  }

  /**
   * Players whose username begins with a text: the first ten, and whether there are more. Nobody for fewer than two
   * characters, or for what begins no username.
   */
  async function lookup(text: string): Promise<{ people: Found[]; more: boolean }> {
    const prefix = text.trim().toLowerCase();
    if (prefix.length < LOOKUP_MIN || !/^[a-z0-9._-]{2,32}$/.test(prefix)) return { people: [], more: false };
    return uow.read(async (tx) => {
      const found = await tx.profiles.search(prefix, FOUND + 1, clock.now());
      const people = found.slice(0, FOUND);
      const badges = await badgesOf(
        tx,
        people.map(({ id }) => id),
      );
      return {
        people: people.map((each) => ({ ...each, badge: badges.get(each.id) ?? null })),
        more: found.length > FOUND,
      };
    });
  }

  /** What the caller shows, and the badges that are theirs to choose from. Throws NOT_FOUND. */
  function privacy(ctx: SignedIn): Promise<Privacy & Pick<ProfileRow, 'role' | 'supporter'>> {
    return uow.read(async (tx) => {
      const user = await tx.profiles.find(ctx.actor.userId, clock.now());
      if (!user) throw new DomainError('NOT_FOUND');
      const badge = badgeOf(user)?.kind ?? 'none';
      return { ...user.privacy, badge, role: user.role, supporter: user.supporter };
    });
  }

  /**
   * Changes what the caller shows, on every path at once. Throws NOT_FOUND, and VALIDATION_FAILED with NOT_ALLOWED at
   * `badge` where that is not theirs.
   */
  function setPrivacy(ctx: SignedIn, wanted: Privacy): Promise<void> {
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      const user = await tx.profiles.find(userId, clock.now());
      if (!user) throw new DomainError('NOT_FOUND');
      if (wanted.badge === 'supporter' && !user.supporter)
        throw new DomainError('VALIDATION_FAILED', { fields: { badge: ['NOT_ALLOWED'] } });
      const before = user.privacy;
      const after = { ...wanted, fields: [...new Set(wanted.fields)] };
      await tx.profiles.setPrivacy(userId, after, clock.now());
      await leaderboard.show(tx, userId);
      await writeAudit(tx, { clock, ids }, ctx, { action: 'account.privacy', target: userId, before, after });
    });
  }

  /** The badges beside the names of some users, by id; without those who show none. */
  const badges = (userIds: readonly string[]) => uow.read((tx) => badgesOf(tx, userIds));

  return { badges, findVisible, profile, showsSkin, lookup, privacy, setPrivacy };
}

async function badgesOf(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, Badge>> {
  const rows = await tx.profiles.badges(userIds);
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const worn = toBadge(row);
      return worn ? [[id, worn] as const] : [];
    }),
  );
}

/** The badge that a choice comes to: none where what was chosen is not theirs (any more). */
function toBadge({ chosen, role, supporter }: BadgeRow): Badge | null {
  if (chosen === 'role') return { kind: chosen, role };
  return chosen === 'supporter' && supporter ? { kind: chosen, role: null } : null;
}

/** The badge beside a user's name; null where they show none. */
export const badgeOf = ({ privacy, role, supporter }: ProfileRow): Badge | null =>
  toBadge({ chosen: privacy.badge, role, supporter });
