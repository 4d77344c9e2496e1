import type { SettingKey } from './settings.ts';

/** Settings that are off at 0, and otherwise take no less than this: their bounds alone would let the rest through. */
export const LEAST_UNLESS_OFF: Partial<Readonly<Record<SettingKey, number>>> = { ledger_archive_days: 90 };
