import * as z from 'zod/mini';
import { declareEvent } from './declare.ts';

/** What happens to announcements. */
export const ANNOUNCEMENT_EVENTS = {
  /** Readers see it from now on, for the first time. */
  'announcement.published': declareEvent({
    version: 1,
    payload: z.object({ announcementId: z.string(), urgent: z.boolean() }),
    outside: ['announcementId', 'urgent'],
    description: 'An announcement was published.',
  }),
  /** One of its audience hears of it; `title`: in their language. */
  'announcement.announced': declareEvent({
    version: 1,
    payload: z.object({ announcementId: z.string(), userId: z.string(), title: z.string() }),
    outside: [],
    notifications: [
      {
        kind: 'announcementPublished',
        to: ({ userId }) => userId,
        data: ({ title, announcementId }) => ({ title, announcement: announcementId }),
        key: ({ announcementId, userId }) => `announcementPublished:${announcementId}:${userId}`,
      },
    ],
  }),
};
