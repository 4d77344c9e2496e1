import { expect, test } from 'bun:test';
import { TESTED_SERVICES } from './service-tests.ts';
import { SETTINGS, type SettingKey } from './settings.ts';

/** What a service is reached with. */
const KEYS = {
  mail: 'mail_password',
  imap: 'imap_password',
  push: 'push_enabled',
  discord: 'discord_client_secret',
  turnstile: 'turnstile_secret',
  vpn: 'vpn_provider_key',
  stripe: 'stripe_secret_key',
  paypal: 'paypal_client_secret',
  linkvertise: 'link_linkvertise_key',
  shareus: 'link_shareus_key',
  linkpays: 'link_linkpays_key',
  gyanilinks: 'link_gyanilinks_key',
  generic: 'link_generic_key',
  s3: 'backup_s3_secret_key',
  imageS3: 'image_s3_secret_key',
} as const satisfies Record<keyof typeof TESTED_SERVICES, SettingKey>;

test('a service is tried where the settings are that it is reached with', () => {
  for (const [service, key] of Object.entries(KEYS))
    expect([service, TESTED_SERVICES[service as keyof typeof KEYS]]).toEqual([service, SETTINGS[key].group]);
});
