/** Who an announcement is for: everybody, those of some roles, those with a server at some locations. */
export const ANNOUNCEMENT_AUDIENCES = ['everyone', 'roles', 'locations'] as const;
export type AnnouncementAudience = (typeof ANNOUNCEMENT_AUDIENCES)[number];

/** Users of an audience are counted up to this. */
export const AUDIENCE_COUNTED = 10_000;

/** Where an announcement stands, by its times and the clock. */
export const ANNOUNCEMENT_STATES = ['draft', 'scheduled', 'published', 'ended'] as const;
export type AnnouncementState = (typeof ANNOUNCEMENT_STATES)[number];

/** What readers may say to an announcement with a click. */
export const REACTIONS = ['like', 'love', 'party', 'rocket', 'sad'] as const;
export type Reaction = (typeof REACTIONS)[number];
export const REACTION_SIGNS: Readonly<Record<Reaction, string>> = {
  like: '👍',
  love: '❤️',
  party: '🎉',
  rocket: '🚀',
  sad: '😢',
};

export const ANNOUNCEMENT_TITLE_MAX = 80;
export const ANNOUNCEMENT_SUMMARY_MAX = 160;
export const ANNOUNCEMENT_BODY_MAX = 20_000;
export const ANNOUNCEMENT_TAGS_MAX = 5;
export const ANNOUNCEMENT_TAG_MAX = 24;
/** Roles or locations that an announcement may be for. */
export const ANNOUNCEMENT_TARGETS_MAX = 50;

/** Where an announcement stands. In: its times and now, UTC ms. */
export function announcementState(
  { publishMs, endMs }: { readonly publishMs: number | null; readonly endMs: number | null },
  nowMs: number,
): AnnouncementState {
  if (publishMs === null) return 'draft';
  if (endMs !== null && endMs <= nowMs) return 'ended';
  return publishMs > nowMs ? 'scheduled' : 'published';
}

/** Minutes that a text takes to read, at 200 words a minute; at least one. */
export function readingMinutes(text: string): number {
  return Math.max(1, Math.round(text.split(/\s+/u).filter(Boolean).length / 200));
}
