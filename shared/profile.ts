/** Parts of a profile, each public or not by the owner's choice (behaviour 7.2), in display order. */
export const PROFILE_FIELDS = [
  'role',
  'supporter',
  'since',
  'skin',
  'rank',
  'credits',
  'month',
  'afk',
  'servers',
  'referrals',
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

/** What is public by default: nothing that reveals how many credits one has. */
export const DEFAULT_FIELDS: readonly ProfileField[] = ['role', 'supporter', 'since', 'skin', 'afk', 'servers'];

/** The picture beside the name: letters on a colour, or the head of the skin. */
export const AVATARS = ['letters', 'head'] as const;
type AvatarKind = (typeof AVATARS)[number];

/** What stands beside the name wherever others read it: nothing, one's role, or the badge of early supporters. */
export const BADGES = ['none', 'role', 'supporter'] as const;
export type BadgeKind = (typeof BADGES)[number];

/** Motifs behind a profile's head. */
export const BACKGROUNDS = ['blocks', 'dawn', 'meadow', 'lagoon', 'dusk', 'ember', 'night'] as const;
export type Background = (typeof BACKGROUNDS)[number];

/** What a user shows of themselves, and where. */
export interface Privacy {
  /** Listed on the leaderboard. */
  readonly leaderboard: boolean;
  /** Others may open the profile, and find it by name. */
  readonly profile: boolean;
  readonly fields: readonly ProfileField[];
  readonly avatar: AvatarKind;
  readonly background: Background;
  readonly badge: BadgeKind;
}

/** The settings of a user who never chose. */
export const DEFAULT_PRIVACY: Privacy = {
  leaderboard: true,
  profile: true,
  fields: DEFAULT_FIELDS,
  avatar: 'letters',
  background: 'blocks',
  badge: 'none',
};
