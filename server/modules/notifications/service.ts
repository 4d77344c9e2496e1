import type { Clock, Ids } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { NotificationRow } from './ports.ts';

/** Rows the bell shows, newest first. */
const SHOWN = 50;

export type NotificationData = Readonly<Record<string, string | number>>;
export type Notifications = ReturnType<typeof createNotifications>;

/** Notifications in the app (behaviour 7.5). The server keeps a kind and its data; the sentence is the client's. */
export function createNotifications({ uow, clock, ids }: { uow: UnitOfWork; clock: Clock; ids: Ids }) {
  /**
   * Notifies a user. In: a kind (camelCase, the client's text key), the data of its sentence, and for what is made only
   * once a key; a second with the same key is ignored. Out: whether it was new.
   */
  async function notify(
    tx: Tx,
    userId: string,
    kind: string,
    data: NotificationData = {},
    uniqueKey: string | null = null,
  ): Promise<boolean> {
    const added = await tx.notifications.add({
      id: ids.uuid(),
      userId,
      kind,
      data: { ...data },
      uniqueKey,
      createdMs: clock.now(),
    });
    if (added) tx.touch(`notifications:${userId}`);
    return added;
  }

  /** The newest notifications of a user, and how many are unread. */
  function list(userId: string): Promise<{ unread: number; rows: NotificationRow[] }> {
    return uow.read(async (tx) => ({
      unread: await tx.notifications.unread(userId),
      rows: await tx.notifications.latest(userId, SHOWN),
    }));
  }

  /** Marks all notifications of a user as read. */
  async function markRead(userId: string): Promise<void> {
    const unread = await uow.read((tx) => tx.notifications.unread(userId));
    if (unread === 0) return;
    await uow.run(async (tx) => {
      await tx.notifications.markAllRead(userId, clock.now());
      tx.touch(`notifications:${userId}`);
    });
  }

  return { notify, list, markRead };
}
