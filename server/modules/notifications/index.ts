export { createNotifications, type NotificationData, type Notifications } from './service.ts';
export type { NotificationRow } from './ports.ts';
