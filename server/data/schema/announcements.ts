import type { Bit, Ms } from './values.ts';

interface Announcements {
  id: string;
  picture: string;
  audience: string;
  pinned: Bit;
  urgent: Bit;
  notifies: Bit;
  /** Whether what is said in the bell may be mailed and pushed as well. */
  mails: Bit;
  pushes: Bit;
  publish_ms: Ms | null;
  end_ms: Ms | null;
  announced_ms: Ms | null;
  revision: number;
  seen: number;
  author_id: string | null;
  created_ms: Ms;
  updated_ms: Ms;
}
interface AnnouncementTexts {
  announcement_id: string;
  locale: string;
  title: string;
  summary: string;
  body: string;
}
interface AnnouncementTags {
  announcement_id: string;
  tag: string;
  position: number;
}
interface AnnouncementTargets {
  announcement_id: string;
  target_id: string;
}
interface AnnouncementPictures {
  announcement_id: string;
  picture_id: string;
}
interface AnnouncementRevisions {
  announcement_id: string;
  revision: number;
  content: string;
  author_id: string | null;
  created_ms: Ms;
}
interface AnnouncementReads {
  user_id: string;
  announcement_id: string;
  created_ms: Ms;
}
interface AnnouncementMarks {
  user_id: string;
  until_ms: Ms;
}
interface AnnouncementReactions {
  user_id: string;
  announcement_id: string;
  reaction: string;
  created_ms: Ms;
}
interface AnnouncementReactionCounts {
  announcement_id: string;
  reaction: string;
  count: number;
}

/** Announcements (behaviour 7.4). */
export interface AnnouncementsTables {
  announcements: Announcements;
  announcement_texts: AnnouncementTexts;
  announcement_tags: AnnouncementTags;
  announcement_targets: AnnouncementTargets;
  announcement_pictures: AnnouncementPictures;
  announcement_revisions: AnnouncementRevisions;
  announcement_reads: AnnouncementReads;
  announcement_marks: AnnouncementMarks;
  announcement_reactions: AnnouncementReactions;
  announcement_reaction_counts: AnnouncementReactionCounts;
}
