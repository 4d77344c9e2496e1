/** A setting as it is stored. */
export interface StoredSetting {
  readonly key: string;
  /** JSON text; of a secret sealed. */
  readonly value: string;
  readonly updatedMs: number;
  /** Counts how often it was stored, from 1. */
  readonly revision: number;
}
export interface SettingsRepo {
  all(): Promise<StoredSetting[]>;
  put(key: string, value: string, atMs: number): Promise<void>;
  /** Holds off every other change of settings until the transaction ends. */
  lock(): Promise<void>;
}
