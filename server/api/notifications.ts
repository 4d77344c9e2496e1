import type { Handlers } from '#server/http/implement.types.ts';
import type { Notifications } from '#server/modules/notifications/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso } from '#shared/time.ts';

/** The notifications of the calling user. */
export function notificationsHandlers({
  notifications,
}: {
  notifications: Pick<Notifications, 'list' | 'markRead'>;
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
    markRead: (ctx) => notifications.markRead(ctx.actor.userId),
  };
}
