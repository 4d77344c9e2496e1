import type { EarningSource } from '#shared/earning-sources.ts';
import type { SettingEffect } from '#shared/setting-effects.ts';

/** A setting as it is stored. */
export interface StoredSetting {
  readonly key: string;
  /** JSON text; of a secret sealed. */
  readonly value: string;
  readonly updatedMs: number;
  /** Counts how often it was stored, from 1. */
  readonly revision: number;
}
/** Who is counted: whom a change of a setting affects at once. */
export type AffectedQuestion =
  | { readonly who: 'usersWithoutFactor'; readonly staffOnly: boolean }
  | { readonly who: 'signedInStaff'; readonly nowMs: number }
  | {
      readonly who: 'usersAtCap';
      readonly source: EarningSource;
      /** Of `app_timezone`, YYYY-MM-DD. */
      readonly day: string;
      /** Credits of a day from which on a user earns nothing more. */
      readonly cap: number;
    }
  | { readonly who: 'openOrders'; readonly provider: 'stripe' | 'paypal' | 'manual' | null }
  | {
      readonly who: Exclude<
        SettingEffect,
        'usersWithoutFactor' | 'signedInStaff' | 'usersAtCap' | 'openOrders' | 'droppedBackups'
      >;
    };
export interface SettingsRepo {
  /** How many there are, counted up to a limit. */
  countAffected(question: AffectedQuestion, limit: number): Promise<number>;
  all(): Promise<StoredSetting[]>;
  put(key: string, value: string, atMs: number): Promise<void>;
  /** Holds off every other change of settings until the transaction ends. */
  lock(): Promise<void>;
}
