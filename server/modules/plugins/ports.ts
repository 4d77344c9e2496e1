import type { PluginValues } from '#shared/plugins.ts';

/** What is stored of a plugin. */
export interface PluginRow {
  readonly identifier: string;
  readonly isOn: boolean;
  /** Stored values of its fields, without secrets. */
  readonly settings: PluginValues;
  /** Its secrets, sealed, by field. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Counts up with every change of the settings; 0: none yet. */
  readonly revision: number;
  readonly updatedMs: number;
}

export interface PluginsRepo {
  list(): Promise<PluginRow[]>;
  /** One, locked until the transaction ends; it is made where there is none. */
  lock(identifier: string, nowMs: number): Promise<PluginRow>;
  save(row: PluginRow): Promise<void>;
  /**
   * Counts what a plugin pays on a day (YYYY-MM-DD) where the sum stays at or below `max`; false, and nothing counted,
   * where it would not. One statement, so exact under concurrency.
   */
  spendWithin(identifier: string, day: string, credits: number, max: number): Promise<boolean>;
  /** Removes what was counted on days before this one. */
  purgeBudgets(beforeDay: string): Promise<void>;
}
