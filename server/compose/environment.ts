import type { Config } from '#server/env.ts';
import type { EnvironmentVariable } from '#shared/contract/settings.ts';
import type { SettingGroup } from '#shared/setting-rows.ts';
import type { SettingKey } from '#shared/settings.ts';

/** Nothing of its value is shown, only whether there is one. */
const HIDDEN = Symbol('hidden');
type Shown = string | number | null | undefined | typeof HIDDEN;
const hidden = (value: unknown): Shown => (value === null || value === undefined ? null : HIDDEN);
const onOff = (value: boolean | undefined): Shown => (value === undefined ? undefined : value ? 'on' : 'off');

/**
 * What the environment sets, for the pages of the settings: what has to be known before the database opens is not
 * stored in it. In: the configuration, or what there is of it. Out: the variables by group; of secrets and of addresses
 * that hold one only whether they are set.
 */
export function environmentOf(config: Partial<Config>): readonly EnvironmentVariable[] {
  const { mail } = config;
  const facts: readonly (readonly [string, SettingGroup, Shown])[] = [
    ['APP_URL', 'general', config.appUrl],
    ['PANEL_DRIVER', 'servers', config.panelDriver],
    ['PANEL_URL', 'servers', config.firstPanel?.url],
    ['PANEL_KEY', 'servers', hidden(config.firstPanel)],
    ['RUNTIME', 'servers', config.runtime],
    ['SERVERS_DIR', 'servers', config.serversDir],
    ['SERVER_PORTS', 'servers', config.serverPorts && `${config.serverPorts.first}-${config.serverPorts.last}`],
    ['DOWNLOAD_MIRROR', 'servers', config.downloadMirror],
    ['ENGINE_SOCKET', 'servers', config.engineSocket],
    ['MAIL_HOST', 'mail', mail?.host],
    ['MAIL_PORT', 'mail', mail?.port],
    ['MAIL_ENCRYPTION', 'mail', mail?.security],
    ['MAIL_USERNAME', 'mail', mail?.username],
    ['MAIL_PASSWORD', 'mail', hidden(mail?.password)],
    ['MAIL_FROM_ADDRESS', 'mail', mail?.fromAddress],
    ['MAIL_FROM_NAME', 'mail', mail?.fromName],
    ['TRUSTED_PROXIES', 'security', config.trustedProxies?.join(', ')],
    ['HSTS_SUBDOMAINS', 'security', onOff(config.hstsSubdomains)],
    ['DATABASE_URL', 'advanced', hidden(config.database)],
    ['REDIS_URL', 'advanced', hidden(config.redisUrl)],
    ['HOST', 'advanced', config.host],
    ['PORT', 'advanced', config.port],
    ['DATA_DIR', 'advanced', config.dataDir],
    ['LOG_LEVEL', 'advanced', config.logLevel],
    ['METRICS_PORT', 'advanced', config.metricsPort],
    ['METRICS_TOKEN', 'advanced', hidden(config.metricsToken)],
    ['COMPRESSION', 'advanced', onOff(config.compression)],
  ];
  return facts.map(([name, group, value]) => ({
    name,
    group,
    value: value === HIDDEN || value === null || value === undefined ? null : String(value),
    is_set: value !== null && value !== undefined,
  }));
}

/** The settings of a mail server: where the environment names one, they wait. */
const MAIL_SERVER = [
  'mail_host',
  'mail_port',
  'mail_encryption',
  'mail_username',
  'mail_password',
  'mail_from_address',
  'mail_from_name',
] as const satisfies readonly SettingKey[];

/** The settings that a variable of the environment holds in the place of, each with its name. */
export function overridesOf({
  mail,
  appUrl = null,
  trustedProxies = null,
}: Partial<Config>): Readonly<Partial<Record<SettingKey, string>>> {
  return {
    ...(appUrl === null ? {} : { app_url: 'APP_URL' }),
    ...(trustedProxies === null ? {} : { trusted_proxies: 'TRUSTED_PROXIES' }),
    ...(mail ? Object.fromEntries(MAIL_SERVER.map((key) => [key, 'MAIL_HOST'])) : {}),
  };
}
