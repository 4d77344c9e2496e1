export { createAnnouncements, type Announcements } from './board.ts';
export { ANNOUNCEMENTS_TOPIC } from './deps.ts';
export { ANNOUNCE_JOB, announceDue, createAnnounceJob } from './publishing.ts';
export { createStaffAnnouncements, type StaffAnnouncements } from './staff.ts';
