import { DEFAULT_LOCALE, LOCALES } from './i18n/locales.ts';

/**
 * A field of a plugin's settings. `secret`: sealed at rest and never sent back; `sentTo` names the fields that hold the
 * addresses it is sent to: another value of one of them asks for the secret again (attacks T57); `sentToSetting` is the
 * setting of the installation that holds such an address: the secret opens only while that leads to the same place.
 * `format`: what a text has to look like unless it is empty.
 */
export type PluginField =
  | {
      readonly type: 'text';
      readonly default: string;
      readonly max: number;
      readonly lines?: true | undefined;
      readonly format?: 'snowflake' | undefined;
    }
  | {
      readonly type: 'secret';
      readonly max: number;
      readonly sentTo?: readonly string[] | undefined;
      readonly sentToSetting?: 'discord_api_url' | undefined;
    }
  | { readonly type: 'number'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | { readonly type: 'switch'; readonly default: boolean };
export type PluginFields = Readonly<Record<string, PluginField>>;
/** A value of a field; a secret is a text. */
export type PluginValue = string | number | boolean;
export type PluginValues = Readonly<Record<string, PluginValue>>;

/** A plugin that comes with the product. Its words are `builtIn.<identifier>` of the namespace `plugins`. */
export interface BuiltInPlugin {
  readonly version: string;
  readonly fields: PluginFields;
  /** The page it is used on, for staff's way there; absent: none. */
  readonly page?: string;
}

/**
 * The plugins that come with the product (behaviour 8.8), in the order of their list. They run in the product itself;
 * what they do stands in server/modules/plugins or in a module of its own, which asks its handle whether it is on.
 */
export const BUILT_IN_PLUGINS = {
  'status-page': {
    version: '1.0.0',
    page: '/plugin/status',
    fields: {
      note: { type: 'text', default: '', max: 500, lines: true },
      show_panels: { type: 'switch', default: true },
    },
  },
  'welcome-gifts': {
    version: '1.0.0',
    fields: {
      credits: { type: 'number', default: 50, min: 1, max: 1_000_000 },
      daily_budget: { type: 'number', default: 5000, min: 1, max: 100_000_000 },
    },
  },
  webhooks: { version: '1.0.0', page: '/mc-admin/webhooks', fields: {} },
  discord: {
    version: '1.0.0',
    page: '/mc-admin/webhooks',
    fields: {
      language: { type: 'choice', default: DEFAULT_LOCALE, choices: LOCALES },
      server_id: { type: 'text', default: '', max: 20, format: 'snowflake' },
      bot_token: { type: 'secret', max: 200, sentToSetting: 'discord_api_url' },
    },
  },
} as const satisfies Readonly<Record<string, BuiltInPlugin>>;

export type BuiltInName = keyof typeof BUILT_IN_PLUGINS;
type Fields<N extends BuiltInName> = (typeof BUILT_IN_PLUGINS)[N]['fields'];
type ValueOf<F> = F extends { readonly type: 'number' }
  ? number
  : F extends { readonly type: 'switch' }
    ? boolean
    : string;
/** The values of a built-in plugin's settings, with secrets in clear: for the plugin alone. */
export type BuiltInValues<N extends BuiltInName> = { readonly [K in keyof Fields<N>]: ValueOf<Fields<N>[K]> };

/** Whether a plugin of this identifier comes with the product. */
export function isBuiltIn(identifier: string): identifier is BuiltInName {
  return Object.hasOwn(BUILT_IN_PLUGINS, identifier);
}

/** Kinds of things that a plugin of others asks for, the weightiest first. `client`: to run in everybody's browser. */
export const REQUEST_KINDS = [
  'credits',
  'client',
  'events',
  'reads',
  'hosts',
  'endpoints',
  'storage',
  'mail',
  'notifications',
] as const;
/** What installing a package would be: of a plugin that is new here, of a later version, the same or an older one. */
export const PACKAGE_CHANGES = ['install', 'update', 'reinstall', 'downgrade'] as const;
export type PackageChange = (typeof PACKAGE_CHANGES)[number];
/** How often in a row a plugin may break down; the last time it is turned off. */
export const PLUGIN_FAULTS_MAX = 5;
/** What a plugin may be allowed to read, by id. */
export const PLUGIN_READS = ['users', 'servers'] as const;

/** Names that stand for something else in addresses of plugins. */
export const RESERVED_PLUGIN_NAMES: readonly string[] = ['status', 'uploads', 'spawnpoint', 'admin', 'system'];

/** What a field has until something is stored. */
export function defaultOf(field: PluginField): PluginValue {
  return field.type === 'secret' ? '' : field.default;
}
