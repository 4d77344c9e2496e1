import type { StatusShape } from '#client/ui/status.tsx';
import type { AnnouncementState } from '#shared/announcements.ts';

/** The shape of each state. */
export const ANNOUNCEMENT_SHAPES: Readonly<Record<AnnouncementState, StatusShape>> = {
  draft: 'paused',
  scheduled: 'scheduled',
  published: 'active',
  ended: 'off',
};
