import type { ResourceKind, Resources } from '#shared/constants.ts';

/** Limits of a user and what is in use of them (behaviour 5.2, 6.1). */
export interface LimitsRepo {
  create(userId: string, limits: Resources): Promise<void>;
  of(userId: string): Promise<Resources>;
  /** Sums over the user's servers that are not deleted or failed: live, queued and reserved. `slots` counts servers. */
  used(userId: string): Promise<Resources>;
  /**
   * Locks the user's limits for the rest of the transaction (PostgreSQL row lock; nothing on SQLite). Every command
   * that changes or consumes limits calls it first.
   */
  lock(userId: string): Promise<void>;
  /** Adds to one limit (negative to lower), up to `max`. The new amount. Throws LIMIT_REACHED where it does not fit. */
  add(userId: string, kind: ResourceKind, delta: number, max?: number): Promise<number>;
}
