import { proxiesIn } from '#shared/trusted-proxies.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Config } from './env.ts';

/** How an installation is reached: its address, and whose forwarded headers are believed. */
export interface Reach {
  /** Without a slash at its end. */
  readonly appUrl: string;
  /** Addresses and networks. */
  readonly trustedProxies: readonly string[];
}

/** Proxies on this machine are always believed, unless the environment names others. */
const THIS_MACHINE: readonly string[] = ['127.0.0.0/8', '::1/128'];

/**
 * The address of the installation, which every link in an e-mail, every return address and the domain of passkeys are
 * made from, never from a request (attacks T36): that of `APP_URL`, otherwise the setting, otherwise that of this
 * machine. Out: without a slash at its end.
 */
function installationUrl(
  { appUrl, localUrl }: Pick<Config, 'appUrl' | 'localUrl'>,
  { app_url: setting }: Pick<SettingValues, 'app_url'>,
): string {
  return appUrl ?? URL.parse(setting)?.origin ?? localUrl;
}

/** Whose forwarded headers are believed: `TRUSTED_PROXIES` alone, otherwise this machine and those of the setting. */
export function trustedProxies(
  { trustedProxies: variable = null }: Partial<Pick<Config, 'trustedProxies'>>,
  setting: string,
): readonly string[] {
  return variable ?? [...THIS_MACHINE, ...proxiesIn(setting)];
}

/** How the installation is reached by its environment and settings. */
export function reachOf(
  config: Pick<Config, 'appUrl' | 'localUrl'> & Partial<Pick<Config, 'trustedProxies'>>,
  values: Pick<SettingValues, 'app_url' | 'trusted_proxies'>,
): Reach {
  return { appUrl: installationUrl(config, values), trustedProxies: trustedProxies(config, values.trusted_proxies) };
}
