import type { Flag } from './flags.ts';
import { FLAGS } from './flags.ts';

/**
 * The settings registry (behaviour 1): key, type, default, bounds, unit, public or not. Defaults are behaviour's numbers.
 * A setting not stored has its default.
 */
export type SettingGroup = 'general' | 'look' | 'accounts' | 'earning' | 'store' | 'servers' | 'legal' | 'flags';
interface Base {
  readonly group: SettingGroup;
  /** Goes to browsers (specification, section 3). */
  readonly public: boolean;
}
export type SettingRow = Base &
  (
    /** `lines`: a long text, with line breaks and tabs. */
    | { readonly type: 'text'; readonly default: string; readonly max: number; readonly lines?: true }
    | { readonly type: 'number'; readonly default: number; readonly min: number; readonly max: number; readonly unit: string }
    | { readonly type: 'switch'; readonly default: boolean }
  );

const text = <const D extends string>(group: SettingGroup, value: D, max = 200, open = true) =>
  ({ type: 'text', default: value as string, max, group, public: open }) as const;
const long = (group: SettingGroup) => ({ type: 'text', default: '' as string, max: LONG, lines: true, group, public: false }) as const;
const number = (group: SettingGroup, value: number, min: number, max: number, unit: string, open = false) =>
  ({ type: 'number', default: value as number, min, max, unit, group, public: open }) as const;
const toggle = (group: SettingGroup, value: boolean, open = false) => ({ type: 'switch', default: value as boolean, group, public: open }) as const;

const MAX = 1_000_000_000;
/** Characters of a long text. */
const LONG = 200_000;

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
  // specification, section 7: the host's own stylesheet and script, and page ads. They have endpoints of their own.
  custom_css: long('look'),
  custom_js: long('look'),
  google_ads_enabled: toggle('look', false),
  google_ads_client_id: text('look', '', 24, false),
  /** Modules of client plugins: paths of our own origin, one a line. */
  client_plugins: long('look'),
  // Whether visitors may open the debug panel (attacks T50).
  debug_panel_enabled: toggle('general', true, true),
  company_name: text('legal', '', 120),
  company_address: text('legal', ''),
  company_city: text('legal', ''),
  company_state: text('legal', ''),
  company_country: text('legal', ''),
  company_zip: text('legal', '', 20),
  company_vat: text('legal', '', 40),
  // Markdown; the texts that come with the product stand where nothing is set.
  privacy_policy: long('legal'),
  terms_of_service: long('legal'),
  // behaviour 3.1
  registration_enabled: toggle('accounts', true, true),
  mail_verification: toggle('accounts', false, true),
  // behaviour 3.5: who must have a second factor: nobody, staff or all
  force_2fa: text('accounts', 'nobody', 10, false),
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

/** The plugin modules that the setting names, one a line; blank lines fall away. */
export function pluginModules(text: string): string[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean);
}

/** Whether a plugin's module lies at our own origin: a plain path, without a second slash in front, dots that climb, or a query. */
export function isModulePath(path: string): boolean {
  return /^(?:\/[\w@-][\w@.-]*)+\.m?js$/.test(path) && path.length <= 300;
}
