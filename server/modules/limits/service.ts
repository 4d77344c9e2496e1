import { RESOURCE_KINDS, type ResourceKind, type Resources } from '#shared/constants.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Tx } from '../tx.ts';

export type Meters = Record<ResourceKind, { used: number; limit: number }>;

export interface Limits {
  /** Used and limit of every kind. Used counts live, queued and reserved (behaviour 6.1). */
  meters(tx: Tx, userId: string): Promise<Meters>;
  /** Gives a new user the limits of behaviour 5.2, from the settings. */
  grantDefaults(tx: Tx, userId: string): Promise<void>;
  /**
   * Adds to one limit (negative to lower), up to `max`, and gives the new amount. Throws LIMIT_REACHED where it does
   * not fit.
   */
  raise(tx: Tx, userId: string, kind: ResourceKind, delta: number, max?: number): Promise<number>;
}

/** The limits of users. */
export function createLimits({ settings }: { settings: { current(): SettingValues } }): Limits {
  return {
    meters: async (tx, userId) => {
      const [limit, used] = await Promise.all([tx.limits.of(userId), tx.limits.used(userId)]);
      return Object.fromEntries(
        RESOURCE_KINDS.map((kind) => [kind, { used: used[kind], limit: limit[kind] }]),
      ) as Meters;
    },
    grantDefaults: (tx, userId) => tx.limits.create(userId, defaults(settings)),
    raise: async (tx, userId, kind, delta, max) => {
      const amount = await tx.limits.add(userId, kind, delta, max);
      tx.touch(`user:${userId}`);
      return amount;
    },
  };
}

function defaults(settings: { current(): SettingValues }): Resources {
  const values = settings.current();
  return {
    memory: values.default_ram,
    disk: values.default_disk,
    cpu: values.default_cpu,
    slots: values.default_server_slots,
    ports: values.default_ports,
    databases: values.default_databases,
    backups: values.default_backups,
  };
}
