/**
 * Parts of a profile of which each is public or not, as its owner chose (behaviour 7.2), in the order in which they are
 * shown.
 */
export const PROFILE_FIELDS = [
  'role',
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

/** What is public until its owner chooses: nothing that tells how many credits one has. */
export const DEFAULT_FIELDS: readonly ProfileField[] = ['role', 'since', 'skin', 'afk', 'servers'];

/** The picture beside the name: letters on a colour, or the head of the skin. */
export const AVATARS = ['letters', 'head'] as const;
type AvatarKind = (typeof AVATARS)[number];

/** Motifs behind a profile's head. */
export const BACKGROUNDS = ['blocks', 'dawn', 'meadow', 'lagoon', 'dusk', 'ember', 'night'] as const;
export type Background = (typeof BACKGROUNDS)[number];

/** What a user shows of themselves, and where. */
export interface Privacy {
  /** Stands on the leaderboard. */
  readonly leaderboard: boolean;
  /** Has a page that others may open, and is found by name. */
  readonly profile: boolean;
  readonly fields: readonly ProfileField[];
  readonly avatar: AvatarKind;
  readonly background: Background;
}

/** What holds for a user who never chose. */
export const DEFAULT_PRIVACY: Privacy = {
  leaderboard: true,
  profile: true,
  fields: DEFAULT_FIELDS,
  avatar: 'letters',
  background: 'blocks',
};
