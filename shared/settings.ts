import type { Flag } from './flags.ts';
import { FLAGS } from './flags.ts';

/**
 * The settings registry (behaviour 1): key, type, default, bounds, unit, public or not. Defaults are behaviour's numbers.
 * A setting not stored has its default.
 */
export type SettingGroup = 'general' | 'accounts' | 'earning' | 'store' | 'servers' | 'legal' | 'flags';
interface Base {
  readonly group: SettingGroup;
  /** Goes to browsers (specification, section 3). */
  readonly public: boolean;
}
export type SettingRow = Base &
  (
    | { readonly type: 'text'; readonly default: string; readonly max: number }
    | { readonly type: 'number'; readonly default: number; readonly min: number; readonly max: number; readonly unit: string }
    | { readonly type: 'switch'; readonly default: boolean }
  );

const text = <const D extends string>(group: SettingGroup, value: D, max = 200, open = true) =>
  ({ type: 'text', default: value as string, max, group, public: open }) as const;
const number = (group: SettingGroup, value: number, min: number, max: number, unit: string, open = false) =>
  ({ type: 'number', default: value as number, min, max, unit, group, public: open }) as const;
const toggle = (group: SettingGroup, value: boolean, open = false) => ({ type: 'switch', default: value as boolean, group, public: open }) as const;

const MAX = 1_000_000_000;

const flags = Object.fromEntries(
  FLAGS.map((flag) => [flag, toggle('flags', !['early_supporters_enabled', 'zero_trust_enabled'].includes(flag), true)]),
) as Record<Flag, { readonly type: 'switch'; readonly default: boolean; readonly group: SettingGroup; readonly public: boolean }>;

export const SETTINGS = {
  app_name: text('general', 'Spawnpoint', 60),
  app_lang: text('general', 'en', 2),
  app_timezone: text('general', 'UTC', 60),
  app_url: text('general', '', 300),
  currency: text('general', 'EUR', 3),
  currency_symbol: text('general', '€', 4),
  company_name: text('legal', '', 120),
  company_address: text('legal', ''),
  company_city: text('legal', ''),
  company_state: text('legal', ''),
  company_country: text('legal', ''),
  company_zip: text('legal', '', 20),
  company_vat: text('legal', '', 40),
  // behaviour 3.1
  registration_enabled: toggle('accounts', true, true),
  mail_verification: toggle('accounts', false, true),
  // behaviour 4, 4.1, 4.2: caps a user and day, budgets a day for the installation (0 = none)
  afk_per_minute: number('earning', 1, 1, 1000, 'credits', true),
  afk_daily_cap: number('earning', 480, 0, MAX, 'credits', true),
  afk_daily_budget: number('earning', 0, 0, MAX, 'credits'),
  redeem_daily_cap: number('earning', 0, 0, MAX, 'credits', true),
  redeem_daily_budget: number('earning', 0, 0, MAX, 'credits'),
  redeem_wrong_tries: number('earning', 10, 1, 1000, 'tries'),
  // behaviour 5.2: what a new user starts with
  default_ram: number('servers', 1024, 0, 1_048_576, 'MB', true),
  default_disk: number('servers', 5120, 0, 10_485_760, 'MB', true),
  default_cpu: number('servers', 100, 0, 12_800, '%', true),
  default_server_slots: number('servers', 1, 0, 1000, 'count', true),
  default_ports: number('servers', 1, 0, 1000, 'count', true),
  default_databases: number('servers', 0, 0, 1000, 'count', true),
  default_backups: number('servers', 0, 0, 1000, 'count', true),
  // behaviour 6.5
  server_renew_cost: number('servers', 100, 0, MAX, 'credits', true),
  server_renew_days: number('servers', 30, 1, 365, 'days', true),
  renew_max_days: number('servers', 90, 1, 3650, 'days', true),
  renew_grace_days: number('servers', 7, 0, 365, 'days', true),
  // the embedded panel: how long an installation takes
  embedded_install_seconds: number('servers', 8, 0, 3600, 's'),
  ...flags,
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K]['default'];
export type SettingValues = { readonly [K in SettingKey]: SettingValue<K> };

/** Whether a text is a key of the registry. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}
