export { createNotificationChoices, type NotificationSettings } from './choices.ts';
export { sendDigests } from './digest.ts';
export { purgeNotifications } from './retention.ts';
export { createNotifications, type NotificationData, type NotificationDeps, type Notifications } from './service.ts';
