import { SOURCE_SETTINGS } from './earning-sources.ts';
import type { Flag } from './flags.ts';
import { FLAGS } from './flags.ts';
import { LINK_SETTINGS } from './link-settings.ts';
import { LOCALES } from './i18n/locales.ts';
import {
  asking,
  choice,
  colour,
  picture,
  list,
  longText,
  AMOUNT_MAX,
  number,
  ownerOnly,
  secret,
  text,
  toggle,
  type SettingGroup,
  type SettingRow,
} from './setting-rows.ts';

export type { SettingRow } from './setting-rows.ts';

/** The flags that belong to another group than their neighbours: those of features stand in `general`. */
const FLAG_GROUPS: Partial<Record<Flag, SettingGroup>> = {
  afk_enabled: 'earning',
  code_redemption_enabled: 'earning',
  early_supporters_enabled: 'earning',
  referrals_enabled: 'earning',
  allow_coins_sharing: 'store',
  store_enabled: 'store',
  allow_servers: 'servers',
  server_renew_enabled: 'servers',
  credits_recharge_enabled: 'payments',
  zero_trust_enabled: 'security',
};
const flags = Object.fromEntries(
  FLAGS.map((flag) => {
    const isOn = !['early_supporters_enabled', 'zero_trust_enabled'].includes(flag);
    const row = toggle(FLAG_GROUPS[flag] ?? 'general', isOn, true);
    // With networks of staff that are not one's own it shuts the admin area.
    return [flag, flag === 'zero_trust_enabled' ? asking(row) : row];
  }),
) as Record<
  Flag,
  { readonly type: 'switch'; readonly default: boolean; readonly group: SettingGroup; readonly public: boolean }
>;

/**
 * The settings registry (behaviour 1): key, type, default, bounds, unit, public or not. Defaults are behaviour's
 * numbers. A setting not stored has its default.
 */
export const SETTINGS = {
  app_name: text('general', 'Spawnpoint', 60),
  app_lang: choice('general', 'en', LOCALES, true),
  app_timezone: text('general', 'UTC', 60),
  // Whoever chooses it is sent every link to a new password, so only owners do.
  app_url: asking(ownerOnly(text('general', '', 300))),
  // Where people ask for help: a page, a chat, an e-mail address. Linked wherever a text says to ask the host.
  support_url: text('general', '', 300),
  support_email: text('general', '', 120),
  // How long a ticket may wait for staff before the inbox calls it overdue.
  ticket_goal_hours: number('general', 24, 1, 720, 'h'),
  currency: asking(text('general', 'EUR', 3)),
  currency_symbol: text('general', '€', 4),
  // What is on at all stands before its figures in every other group.
  ...flags,
  // specification, section 7: the host's own stylesheet and script, and page ads. They have endpoints of their own.
  custom_css: ownerOnly(longText('code', 'code')),
  custom_js: asking(ownerOnly(longText('code', 'code'))),
  // How pages look to whoever has not chosen otherwise.
  theme_default: choice('appearance', 'dark', ['dark', 'light']),
  // The accent of each theme; its other tokens follow from it (shared/accent.ts).
  accent_dark: colour('appearance'),
  accent_light: colour('appearance'),
  // The logo stands in the place of the mark; with `logo_with_name` off, also in that of the name.
  logo_picture: picture('appearance', 'logo', true),
  logo_light_picture: picture('appearance', 'logo', true),
  logo_with_name: toggle('appearance', true, true),
  icon_picture: picture('appearance', 'icon'),
  // Beside the log-in, and behind every page.
  hero_picture: picture('appearance', 'hero', true),
  background_picture: picture('appearance', 'background'),
  // How much of the picture behind the pages is covered; who chose otherwise keeps their choice.
  background_cover: number('appearance', 95, 10, 100, '%'),
  // What other services show of a link to this installation; the description also search engines.
  preview_picture: picture('appearance', 'preview'),
  app_description: text('appearance', '', 200, false),
  google_ads_enabled: toggle('appearance', false),
  google_ads_client_id: text('appearance', '', 24, false),
  /** Modules of client plugins: paths of our own origin, one a line. */
  client_plugins: asking(ownerOnly(longText('code', 'list'))),
  // Whether visitors may open the debug panel (attacks T50).
  debug_panel_enabled: toggle('advanced', true, true),
  company_name: text('legal', '', 120),
  company_address: text('legal', ''),
  company_city: text('legal', ''),
  company_state: text('legal', ''),
  company_country: text('legal', ''),
  company_zip: text('legal', '', 20),
  company_vat: text('legal', '', 40),
  // Markdown; the product's own texts are used if empty.
  privacy_policy: longText('legal', 'markdown'),
  terms_of_service: longText('legal', 'markdown'),
  // behaviour 3.1
  registration_enabled: asking(toggle('accounts', true, true)),
  mail_verification: toggle('mail', false, true),
  /** Mails handed to the mail server in a minute; 0: as many as it takes. */
  mail_per_minute: number('mail', 0, 0, 10_000, 'count'),
  // behaviour 8.5: the server that takes our e-mails, where MAIL_HOST names none. Whoever chooses it reads every link to
  // a new password, so only owners do.
  mail_host: asking(ownerOnly(text('mail', '', 253, false))),
  mail_port: ownerOnly(number('mail', 587, 1, 65_535, 'count')),
  mail_encryption: ownerOnly(choice('mail', 'starttls', ['tls', 'starttls', 'none'])),
  mail_username: ownerOnly(text('mail', '', 200, false)),
  mail_password: ownerOnly(secret('mail', 'mail_host', 'mail_port', 'mail_encryption')),
  mail_from_address: ownerOnly(text('mail', '', 254, false)),
  /** Empty: the name of the installation. */
  mail_from_name: ownerOnly(text('mail', '', 100, false)),
  // behaviour 7.3: answers to tickets by e-mail. Whoever chooses the address reads them.
  ticket_mail_enabled: toggle('mail', false),
  /** E-mails to that address itself open tickets of users, where the mail server proves who sent them. */
  ticket_mail_new: toggle('mail', false),
  /** Address of the mailbox that they come to, which takes mails to `name+anything@` as well. */
  ticket_mail_address: ownerOnly(text('mail', '', 254, false)),
  /** What that mailbox's server calls itself in `Authentication-Results`. */
  ticket_mail_authserv: ownerOnly(text('mail', '', 253, false)),
  // Verifies the signature of mails that a mail service hands over; it is never sent.
  ticket_mail_secret: ownerOnly(secret('mail')),
  // The server that they are read from. Empty: they are handed over.
  imap_host: ownerOnly(text('mail', '', 253, false)),
  imap_port: ownerOnly(number('mail', 993, 1, 65_535, 'count')),
  imap_encryption: ownerOnly(choice('mail', 'tls', ['tls', 'starttls', 'none'])),
  imap_username: ownerOnly(text('mail', '', 200, false)),
  imap_password: ownerOnly(secret('mail', 'imap_host', 'imap_port', 'imap_encryption')),
  imap_folder: ownerOnly(text('mail', 'INBOX', 200, false)),
  // What affects many users behind one address (a school, a café): calls of an address in the window of shared/limits.ts,
  // and free wrong passwords an hour.
  limit_register: number('advanced', 60, 1, 100_000, 'count'),
  limit_login: number('advanced', 60, 1, 100_000, 'count'),
  limit_login_failures: number('advanced', 40, 5, 100_000, 'tries'),
  limit_reset: number('advanced', 30, 1, 100_000, 'count'),
  limit_guest_reads: number('advanced', 1200, 60, 1_000_000, 'count'),
  limit_image_reads: number('advanced', 6000, 60, 10_000_000, 'count'),
  limit_image_reports: number('advanced', 20, 1, 100_000, 'count'),
  limit_challenge: number('advanced', 120, 1, 100_000, 'count'),
  /** Factor by which limits are raised while a challenge is on. */
  limit_challenge_factor: number('advanced', 5, 1, 100, 'times'),
  // behaviour 3.9: how a banned user may appeal, in the host's words: an address, a link, a sentence
  ban_appeal: text('accounts', '', 300, false),
  // behaviour 3.5: who must have a second factor: nobody, staff or all
  force_2fa: asking(choice('accounts', 'nobody', ['nobody', 'staff', 'all'])),
  // behaviour 4 to 4.5: switches, amounts, caps and budgets of the earning sources
  ...SOURCE_SETTINGS,
  ...LINK_SETTINGS,
  // behaviour 4.6: score from which rewards wait for review (0 = none), how long signals are kept, how long a reward
  // without proof waits
  abuse_threshold: number('security', 60, 0, 1000, 'points'),
  abuse_signal_days: number('security', 90, 1, 730, 'days'),
  // attacks T56: how long what users did to their own accounts is kept, and addresses and devices in the audit log.
  activity_days: number('security', 365, 30, 3650, 'days'),
  // How long what nobody needs for good is kept: e-mails in the outbox, notifications, steps of the build queue, sums of
  // a day that daily caps were counted by (the page of AFK shows a week), answers of commands, jobs that are done.
  mail_days: number('mail', 365, 30, 3650, 'days'),
  notification_days: number('advanced', 180, 7, 3650, 'days'),
  queue_log_days: number('servers', 365, 30, 3650, 'days'),
  counter_days: number('advanced', 35, 8, 3650, 'days'),
  stored_answer_days: number('advanced', 7, 1, 90, 'days'),
  finished_job_days: number('advanced', 7, 1, 365, 'days'),
  // From when on old transactions of the ledger are in its archive, by whole months; 0 = never.
  ledger_archive_days: number('advanced', 400, 0, 3650, 'days'),
  // How many days of figures a server's page shows.
  server_usage_days: number('servers', 30, 1, 90, 'days'),
  abuse_proof_hours: number('security', 24, 0, 8760, 'h'),
  // How long the first rewards of what may be a burst of accounts wait; 0 = not at all.
  abuse_wait_minutes: number('security', 20, 0, 1440, 'min'),
  /** Domains of disposable e-mail addresses, one per line, besides those that the product knows. */
  abuse_disposable_domains: longText('security', 'list'),
  // Maximum credits that staff without admin.root move or promise at once: adjustments, codes, packages, confirmed and
  // refunded payments.
  staff_amount_max: ownerOnly(number('security', 100_000, 1, AMOUNT_MAX, 'credits')),
  /** Networks that staff come from, one a line, where `zero_trust_enabled` is on (behaviour 3.11); empty: from anywhere. */
  zero_trust_staff_networks: asking(ownerOnly(longText('security', 'list'))),
  /** Addresses and networks of proxies, one a line, whose forwarded headers are believed besides this machine's. */
  trusted_proxies: asking(ownerOnly(longText('security', 'list'))),
  // behaviour 5.5: images of users: what one costs, space of a user, and what the images of a user may send a day (0 = any)
  image_hosting_enabled: toggle('general', false, true),
  image_price: number('store', 1, 0, AMOUNT_MAX, 'credits'),
  image_quota_mb: number('store', 500, 1, 1_000_000, 'MB'),
  // How long decided reports of images are kept, with what people said; those that wait stay.
  image_report_days: number('security', 365, 30, 3650, 'days'),
  image_daily_transfer_mb: number('security', 10_000, 0, 100_000_000, 'MB'),
  // Where new images go instead of the data folder, once all of it is set; those that are there stay where they are.
  image_s3_endpoint: ownerOnly(text('advanced', '', 300, false)),
  image_s3_region: ownerOnly(text('advanced', 'us-east-1', 40, false)),
  image_s3_bucket: ownerOnly(text('advanced', '', 63, false)),
  image_s3_prefix: ownerOnly(text('advanced', '', 100, false)),
  image_s3_access_key: ownerOnly(text('advanced', '', 128, false)),
  image_s3_secret_key: ownerOnly(secret('advanced', 'image_s3_endpoint')),
  // behaviour 7.6: whether visitors are asked before a redirect link takes them to another host
  redirect_link_notice: toggle('security', false),
  // behaviour 7.4: whether visitors without an account may read what is announced to everybody
  announcements_public: toggle('general', false, true),
  vpn_check: toggle('security', false),
  vpn_weight: number('security', 40, 0, 1000, 'points'),
  /** Networks that count as VPN, one a line; large lists are uploaded by the command line. */
  vpn_networks: longText('security', 'list'),
  /** An address without any information counts as a VPN. */
  vpn_unknown_holds: toggle('security', false),
  // behaviour 7.5: the push services of browsers are asked only for users who wanted it.
  push_enabled: toggle('integrations', true),
  /** `{ip}` and `{key}` are replaced; paths into the JSON answer are set apart by commas. */
  vpn_provider_url: text('integrations', '', 500, false),
  vpn_provider_key: secret('integrations', 'vpn_provider_url'),
  vpn_provider_header: text('integrations', '', 60, false),
  vpn_provider_paths: list('integrations', 300, ','),
  vpn_provider_value: text('integrations', 'true', 60, false),
  adblock_check: toggle('security', false),
  /** `off`, `altcha` (proof of work) or `turnstile`. */
  challenge: asking(choice('security', 'off', ['off', 'altcha', 'turnstile'])),
  challenge_login_after: number('security', 3, 0, 1000, 'tries'),
  altcha_cost: number('advanced', 5000, 100, 1_000_000, 'rounds'),
  turnstile_site_key: text('integrations', '', 100, false),
  turnstile_secret: secret('integrations', 'turnstile_url'),
  turnstile_url: text('integrations', 'https://challenges.cloudflare.com/turnstile/v0', 300, false),
  /** Host names of our pages, if they differ from that of the public address. */
  turnstile_hostnames: list('integrations', 500, ' '),
  // News of releases: asked for nowhere unless this is on (attacks T55). The key is the public one of who signs them,
  // 32 bytes as base64.
  update_checks: ownerOnly(toggle('advanced', false)),
  update_feed_url: ownerOnly(text('advanced', '', 300, false)),
  update_feed_key: ownerOnly(text('advanced', '', 44, false)),
  // Backups (behaviour 8.6), and a storage elsewhere that speaks S3 and gets a copy of each daily one.
  backup_daily: toggle('advanced', true),
  backup_hour: number('advanced', 3, 0, 23, 'oclock'),
  backup_keep: number('advanced', 7, 1, 365, 'count'),
  backup_s3_endpoint: ownerOnly(text('advanced', '', 300, false)),
  backup_s3_region: ownerOnly(text('advanced', 'us-east-1', 40, false)),
  backup_s3_bucket: ownerOnly(text('advanced', '', 63, false)),
  // What the names there begin with: several installations may share a bucket.
  backup_s3_prefix: ownerOnly(text('advanced', '', 100, false)),
  backup_s3_access_key: ownerOnly(text('advanced', '', 128, false)),
  backup_s3_secret_key: ownerOnly(secret('advanced', 'backup_s3_endpoint')),
  backup_s3_keep: number('advanced', 30, 1, 3650, 'count'),
  /** External services may be at addresses of private networks and of this machine (attacks T44). */
  // The ClamAV daemon that looks at files of tickets, as host:port. Empty: nobody does.
  virus_scanner: ownerOnly(text('security', '', 260, false)),
  outbound_private_networks: asking(ownerOnly(toggle('advanced', false))),
  // Discord: the application that members sign in with (behaviour 4.3)
  discord_client_id: text('integrations', '', 40, false),
  discord_client_secret: secret('integrations', 'discord_api_url'),
  discord_api_url: text('integrations', 'https://discord.com/api/v10', 200, false),
  discord_authorize_url: text('integrations', 'https://discord.com/oauth2/authorize', 200, false),
  // Outgoing webhooks (behaviour 8.8): how long a receiver may take, and how long deliveries that are over are kept.
  webhook_timeout_ms: number('advanced', 10_000, 50, 60_000, 'ms'),
  webhook_retention_days: number('advanced', 30, 1, 365, 'days'),
  discord_timeout_ms: number('advanced', 10_000, 50, 60_000, 'ms'),
  // behaviour 3.6: how long a provider that people sign in with may take for one answer
  sso_timeout_ms: number('advanced', 5000, 50, 60_000, 'ms'),
  // behaviour 5.4: bounds, fee and caps of gifts (0 = no cap)
  gift_min: number('store', 1, 1, AMOUNT_MAX, 'credits'),
  gift_max: number('store', 1000, 1, AMOUNT_MAX, 'credits'),
  gift_fee_percent: number('store', 10, 0, 100, '%'),
  gift_daily_cap: number('store', 2000, 0, AMOUNT_MAX, 'credits'),
  gift_daily_received_cap: number('store', 0, 0, AMOUNT_MAX, 'credits'),
  gift_min_account_days: number('store', 3, 0, 365, 'days'),
  // behaviour 5.2: what a new user starts with
  default_ram: number('servers', 1024, 0, 1_048_576, 'MB', true),
  default_disk: number('servers', 5120, 0, 10_485_760, 'MB', true),
  default_cpu: number('servers', 100, 0, 12_800, '%', true),
  default_server_slots: number('servers', 1, 0, 1000, 'count', true),
  default_ports: number('servers', 1, 0, 1000, 'count', true),
  default_databases: number('servers', 0, 0, 1000, 'count', true),
  default_backups: number('servers', 0, 0, 1000, 'count', true),
  // behaviour 6.5
  server_renew_cost: number('servers', 100, 0, AMOUNT_MAX, 'credits', true),
  server_renew_days: number('servers', 30, 1, 365, 'days', true),
  renew_max_days: number('servers', 90, 1, 3650, 'days', true),
  renew_grace_days: number('servers', 7, 0, 365, 'days', true),
  // this machine (decision 110): how much of it is sold and kept, which parts may be weak, and which recipes are off
  machine_memory_share: number('servers', 80, 10, 100, '%'),
  machine_disk_reserve: number('servers', 2048, 0, 10_485_760, 'MB'),
  machine_accepted_parts: asking(list('servers', 100, ' ')),
  machine_recipes_off: list('servers', 500, ' '),
  // behaviour 6.6: a new server takes over what a deleted one left owed
  renew_debt_enabled: toggle('servers', true),
  // behaviour 5.3: what credits cost and how they are paid for. Money in minor units of `currency`.
  payment_free_enabled: toggle('payments', true),
  payment_min: number('payments', 100, 1, AMOUNT_MAX, 'minor'),
  payment_max: number('payments', 50_000, 1, AMOUNT_MAX, 'minor'),
  payment_credits_per_unit: number('payments', 100, 1, 1_000_000, 'credits'),
  payment_open_orders: number('payments', 5, 1, 100, 'count'),
  stripe_enabled: toggle('payments', false),
  stripe_secret_key: ownerOnly(secret('payments', 'stripe_api_url')),
  // Verifies the signature of webhooks; it is never sent.
  stripe_webhook_secret: ownerOnly(secret('payments')),
  // Account that a webhook may name; empty: our own only.
  stripe_account_id: ownerOnly(text('payments', '', 60, false)),
  stripe_api_url: ownerOnly(text('payments', 'https://api.stripe.com', 200, false)),
  paypal_enabled: toggle('payments', false),
  paypal_client_id: ownerOnly(text('payments', '', 200, false)),
  paypal_client_secret: ownerOnly(secret('payments', 'paypal_api_url')),
  paypal_webhook_id: ownerOnly(text('payments', '', 60, false)),
  // Our own merchant account; empty: not compared.
  paypal_merchant_id: ownerOnly(text('payments', '', 60, false)),
  paypal_api_url: ownerOnly(text('payments', 'https://api-m.paypal.com', 200, false)),
  manual_payments_enabled: toggle('payments', false),
  // The account that manual payments go to (an IBAN, an address), to copy with one click; and the host's own instructions, one step per line.
  manual_payment_account: text('payments', '', 100, false),
  manual_payment_text: longText('payments'),
  // Tax that prices include, in hundredths of a per cent (1900 is 19 %); the prefix of receipt numbers.
  tax_rate: number('legal', 0, 0, 10_000, '0.01 %'),
  receipt_prefix: text('legal', 'R-', 12, false),
  // Hours after which a server that waits for a panel fails
  queue_give_up_hours: number('advanced', 12, 1, 720, 'h'),
  // the embedded panel: how long an installation takes
  embedded_install_seconds: number('advanced', 8, 0, 3600, 's'),
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;
type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K]['default'];
export type SettingValues = { readonly [K in SettingKey]: SettingValue<K> };

/** Whether a text is a key of the registry. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/** Replaces a stored secret wherever a value is shown. */
export const MASK = '••••••••';

/** Whether a setting is a secret: encrypted at rest, never shown (behaviour 1). */
export function isSecret(key: SettingKey): boolean {
  const row: SettingRow = SETTINGS[key];
  return row.type === 'text' && row.secret !== undefined;
}

/**
 * Where a setting has a secret sent to: the origin of an address of the web, in which placeholders of a template count
 * as one letter each; everything else (a host name, a port) as it is. Null if it is empty.
 */
export function destinationOf(value: unknown): string | null {
  const text = String(value ?? '');
  if (text === '') return null;
  return /^https?:/i.test(text) ? (URL.parse(text.replaceAll(/\{\w+\}/g, 'x'))?.origin ?? null) : text.toLowerCase();
}

/**
 * The secrets that a change would send to a new origin (attacks T57). In: the current values; the changes; whether a
 * secret is stored, readable or not. Out: keys of the secrets that have to be entered again, or emptied, in the same
 * change.
 */
export function secretsToReenter(
  before: SettingValues,
  changes: Readonly<Partial<Record<SettingKey, unknown>>>,
  isStored: (key: SettingKey) => boolean,
): SettingKey[] {
  return Object.entries(SETTINGS).flatMap(([name, row]: [string, SettingRow]) => {
    if (!isSettingKey(name) || row.type !== 'text' || !row.secret || Object.hasOwn(changes, name) || !isStored(name))
      return [];
    const moved = row.secret.sentTo.some((address) => {
      if (!isSettingKey(address) || !Object.hasOwn(changes, address)) return false;
      const destination = destinationOf(changes[address]);
      return destination !== null && destination !== destinationOf(before[address]);
    });
    return moved ? [name] : [];
  });
}

/** A setting's value for staff: of a secret only whether it is set. */
export function maskedValue<T>(key: SettingKey, value: T): T | typeof MASK {
  return isSecret(key) && value !== '' ? MASK : value;
}

/** Parses the setting's plugin modules, one per line; blank lines are dropped. */
export function pluginModules(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/**
 * Whether a plugin's module is at our own origin: a plain path, without a leading double slash, dot segments, or a
 * query.
 */
export function isModulePath(path: string): boolean {
  return /^(?:\/[\w@-][\w@.-]*)+\.m?js$/.test(path) && path.length <= 300;
}
