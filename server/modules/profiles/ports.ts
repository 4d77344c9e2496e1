import type { BadgeKind, Privacy } from '#shared/profile.ts';

/** A user as others may come to see them. */
export interface ProfileRow {
  readonly id: string;
  readonly username: string;
  /** Neither deleted nor banned at the moment asked for. */
  readonly active: boolean;
  readonly role: { readonly name: string; readonly color: string };
  /** Paid as an early supporter (behaviour 4.7). */
  readonly supporter: boolean;
  readonly createdMs: number;
  readonly privacy: Privacy;
}

/** What a user may have a badge of, and which one they chose. */
export interface BadgeRow {
  readonly chosen: BadgeKind;
  readonly role: ProfileRow['role'];
  readonly supporter: boolean;
}

export interface ProfilesRepo {
  find(userId: string, nowMs: number): Promise<ProfileRow | null>;
  privacy(userId: string): Promise<Privacy>;
  /** Who among some users chose a badge, by id. */
  badges(userIds: readonly string[]): Promise<Map<string, BadgeRow>>;
  setPrivacy(userId: string, privacy: Privacy, atMs: number): Promise<void>;
  /** People whose name begins so (without case), by name; without those who are banned, deleted or hidden. */
  search(prefix: string, limit: number, nowMs: number): Promise<{ id: string; username: string }[]>;
}
