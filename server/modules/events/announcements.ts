import * as z from 'zod/mini';
import { declareEvent } from './declare.ts';

/** Who hears of which; `mails`, `pushes`: whether by mail and by push as well. */
const heard = z.object({
  announcementId: z.string(),
  userId: z.string(),
  title: z.string(),
  mails: z.boolean(),
  pushes: z.boolean(),
});
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
    payload: heard,
    outside: [],
    notifications: [
      {
        kind: 'announcementPublished',
        to: ({ userId }) => userId,
        data: ({ title, announcementId }) => ({ title, announcement: announcementId }),
        key: ({ announcementId, userId }) => `announcementPublished:${announcementId}:${userId}`,
        ways: ({ mails, pushes }) => ({ mail: mails, push: pushes }),
      },
    ],
  }),
  /** Staff had themselves be notified as its audience would be. */
  'announcement.previewed': declareEvent({
    version: 1,
    payload: heard,
    outside: [],
    notifications: [
      {
        kind: 'announcementPreview',
        to: ({ userId }) => userId,
        data: ({ title, announcementId }) => ({ title, announcement: announcementId }),
        ways: ({ mails, pushes }) => ({ mail: mails, push: pushes }),
      },
    ],
  }),
};
