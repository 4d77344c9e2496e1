import type { ServerNotification } from '#shared/server-codes.ts';
import type { Tx } from '../../tx.ts';

/** What this module uses of notifications. */
export interface Notifications {
  notify(
    tx: Tx,
    userId: string,
    kind: string,
    data: Record<string, string | number>,
    uniqueKey: string,
  ): Promise<unknown>;
}
/** Notifies the owner of a server in the app, once for each key. */
export type NotifyOwner = (
  tx: Tx,
  server: { readonly id: string; readonly userId: string; readonly name: string },
  message: { kind: ServerNotification; data: Record<string, string | number>; key: string },
) => Promise<void>;

export function createOwnerNotifier({ notifications }: { readonly notifications: Notifications }): NotifyOwner {
  return async (tx, { id, userId, name }, { kind, data, key }) => {
    await notifications.notify(tx, userId, kind, { id, server: name, ...data }, `${kind}:${id}:${key}`);
  };
}
