export interface NotificationRow {
  readonly id: string;
  readonly kind: string;
  readonly data: Record<string, string | number>;
  readonly createdMs: number;
  readonly read: boolean;
}
export interface NotificationsRepo {
  /** Adds one; a second with the same unique key is ignored (false). */
  add(row: {
    id: string;
    userId: string;
    kind: string;
    data: Record<string, string | number>;
    uniqueKey: string | null;
    createdMs: number;
  }): Promise<boolean>;
  latest(userId: string, limit: number): Promise<NotificationRow[]>;
  unread(userId: string): Promise<number>;
  markAllRead(userId: string, atMs: number): Promise<void>;
}
