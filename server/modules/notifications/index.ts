export { createNotificationChoices, type NotificationSettings } from './choices.ts';
export { sendDigests } from './digest.ts';
export { createPush, PUSH_JOB, type Push } from './push.ts';
export type { PushOutcome } from './push-ports.ts';
export { createPushJob, createPushTest } from './push-job.ts';
export { purgeNotifications } from './retention.ts';
export {
  type NewNotice,
  createNotifications,
  type OutsideWays,
  type NotificationData,
  type NotificationDeps,
  type Notifications,
} from './service.ts';
