import type { ResourceKind } from '#shared/constants.ts';
import type { Flags } from '#shared/flags.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Tx } from '../../tx.ts';

/** What a user has in use and may use, by kind of resource. */
export type Meters = Record<ResourceKind, { used: number; limit: number }>;
/** What this module uses of the limits. */
export interface Limits {
  meters(tx: Tx, userId: string): Promise<Meters>;
}
/** What this module uses of the settings. */
export interface Settings {
  current(): SettingValues;
  flags(): Flags;
}
