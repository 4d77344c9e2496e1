import type { Handlers } from '#server/http/implement.types.ts';
import type { Notifications, NotificationSettings, Push } from '#server/modules/notifications/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { isAlways, NOTIFICATION_SUBJECTS } from '#shared/notifications.ts';
import { iso } from '#shared/time.ts';

/** The notifications of the calling user, and how they want them. */
export function notificationsHandlers({
  notifications,
  notificationSettings,
  push,
}: {
  notifications: Pick<Notifications, 'list' | 'markRead' | 'markAllRead'>;
  notificationSettings: NotificationSettings;
  push: Push;
}): Handlers<typeof CONTRACT.notifications> {
  return {
    async list(ctx) {
      const { unread, rows } = await notifications.list(ctx.actor.userId);
      return {
        unread,
        notifications: rows.map((row) => ({
          id: row.id,
          kind: row.kind,
          data: row.data,
          at: iso(row.createdMs),
          read: row.read,
        })),
      };
    },
    markAllRead: (ctx) => notifications.markAllRead(ctx.actor.userId),
    markRead: (ctx, { params }) => notifications.markRead(ctx.actor.userId, params.id),
    async settings(ctx) {
      const { ways, digestHour, quiet, timeZone } = await notificationSettings.get(ctx);
      const pushes = await push.get(ctx);
      return {
        ways: ways.map((way) => ({
          ...way,
          group: NOTIFICATION_SUBJECTS[way.subject].group,
          always: isAlways(way.subject),
        })),
        digest_hour: digestHour,
        quiet,
        time_zone: timeZone,
        push: pushes && {
          key: pushes.key,
          devices: pushes.devices.map((each) => ({
            id: each.id,
            device: each.device,
            since: iso(each.createdMs),
            reached_at: each.reachedMs === null ? null : iso(each.reachedMs),
            current: each.sessionId === ctx.actor.sessionId,
          })),
        },
      };
    },
    saveSettings: (ctx, { body }) =>
      notificationSettings.save(ctx, {
        app: body.app,
        push: body.push,
        mail: body.mail,
        digestHour: body.digest_hour,
        quiet: body.quiet ? { from: body.quiet_from, until: body.quiet_until } : null,
      }),
    subscribe: (ctx, { body }) =>
      push.subscribe(ctx, { endpoint: body.endpoint, publicKey: body.p256dh, auth: body.auth }),
    unsubscribe: (ctx, { params }) => push.unsubscribe(ctx, params.id),
    testPush: async (ctx) => ({ devices: await push.sendTest(ctx) }),
    resetSettings: (ctx) => notificationSettings.reset(ctx),
  };
}
