import type { SettingValues } from '#shared/settings.ts';
import type { MailConfig } from './ports.ts';

/** The settings that say how a mail server is reached. */
type MailSettings = Pick<
  SettingValues,
  | 'app_name'
  | 'mail_host'
  | 'mail_port'
  | 'mail_encryption'
  | 'mail_username'
  | 'mail_password'
  | 'mail_from_address'
  | 'mail_from_name'
>;

/**
 * The mail server in force: that of the environment, else that of the settings. In: what the environment names, all
 * settings. Out: null where neither names one with a sender.
 */
export function mailServerOf(environment: MailConfig | null, settings: MailSettings): MailConfig | null {
  if (environment !== null) return environment;
  const { mail_host: host, mail_from_address: fromAddress, mail_encryption: encryption } = settings;
  if (host === '' || fromAddress === '') return null;
  return {
    host,
    port: settings.mail_port,
    security: encryption === 'tls' || encryption === 'none' ? encryption : 'starttls',
    username: settings.mail_username || null,
    password: settings.mail_password || null,
    fromAddress,
    fromName: settings.mail_from_name || settings.app_name,
  };
}
