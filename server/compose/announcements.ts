import { MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import {
  ANNOUNCE_JOB,
  announceDue,
  createAnnounceJob,
  createAnnouncements,
  createStaffAnnouncements,
} from '../modules/announcements/index.ts';
import type { Foundation } from './foundation.ts';

/** Announcements for readers and staff (behaviour 7.4). What is planned is announced within a minute of its time. */
export function composeAnnouncements(foundation: Foundation) {
  const tasks: ScheduledTask[] = [
    { name: 'announcements.publish', everyMs: MINUTE, run: () => announceDue(foundation) },
  ];
  return {
    services: {
      announcements: createAnnouncements(foundation),
      staffAnnouncements: createStaffAnnouncements(foundation),
    },
    tasks,
    jobs: { [ANNOUNCE_JOB]: createAnnounceJob(foundation) },
  };
}
