export { createNotifications, type NotificationData, type Notifications } from './service.ts';
