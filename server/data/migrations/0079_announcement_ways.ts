import { define, type Migration } from './migration.ts';

/** Whether what an announcement says in the bell may go out by mail and push as well; retention of decided reports. */
export const announcementWays: Migration = {
  name: '0079_announcement_ways',
  up: (step) =>
    define(step, [
      'ALTER TABLE announcements ADD COLUMN mails INTEGER NOT NULL DEFAULT 1 CHECK (mails IN (0, 1))',
      'ALTER TABLE announcements ADD COLUMN pushes INTEGER NOT NULL DEFAULT 1 CHECK (pushes IN (0, 1))',
      'CREATE INDEX image_reports_decided ON image_reports (decided_ms) WHERE decided_ms IS NOT NULL',
    ]),
};
