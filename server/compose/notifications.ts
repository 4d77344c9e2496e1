import { DAY, MINUTE } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { sentenceTexts } from '../mail/texts.ts';
import {
  createNotificationChoices,
  createPushJob,
  createPushTest,
  PUSH_JOB,
  purgeNotifications,
  sendDigests,
} from '../modules/notifications/index.ts';
import type { Foundation } from './foundation.ts';

/** How often it is looked who gets their mail of the day: it may be so much late. */
const DIGEST_MS = 5 * MINUTE;

/**
 * How users want what they are notified of, their mails of the day, pushes to their browsers, and what becomes of old
 * notifications.
 */
export function composeNotifications(foundation: Foundation) {
  const deps = { ...foundation, sender: foundation.pushSender, texts: sentenceTexts };
  const tasks: ScheduledTask[] = [
    { name: 'notifications.digest', everyMs: DIGEST_MS, run: () => sendDigests(deps) },
    { name: 'notifications.purge', everyMs: DAY, run: () => purgeNotifications(foundation) },
  ];
  return {
    services: { notificationSettings: createNotificationChoices(foundation), testPush: createPushTest(deps) },
    tasks,
    jobs: { [PUSH_JOB]: createPushJob(deps) },
  };
}
