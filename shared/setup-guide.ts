import type { SettingKey } from './settings.ts';

/** The steps of the set-up guide, in their order. */
export const SETUP_STEPS = [
  'address',
  'mail',
  'panel',
  'catalogue',
  'newUsers',
  'earning',
  'payments',
  'legal',
  'backup',
] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/** The settings that a step asks for; `panel` and `catalogue` have commands of their own. */
export const SETUP_SETTINGS: Readonly<Record<SetupStep, readonly SettingKey[]>> = {
  address: ['app_name', 'app_url', 'app_lang', 'app_timezone'],
  mail: [
    'mail_host',
    'mail_port',
    'mail_encryption',
    'mail_username',
    'mail_password',
    'mail_from_address',
    'mail_from_name',
  ],
  panel: [],
  catalogue: [],
  newUsers: [
    'default_server_slots',
    'default_ram',
    'default_disk',
    'default_cpu',
    'server_renew_cost',
    'server_renew_days',
  ],
  earning: ['afk_enabled', 'code_redemption_enabled', 'j4r_enabled', 'referrals_enabled', 'links_enabled'],
  payments: [
    'currency',
    'currency_symbol',
    'payment_credits_per_unit',
    'manual_payments_enabled',
    'manual_payment_account',
    'stripe_enabled',
    'stripe_secret_key',
    'stripe_webhook_secret',
    'paypal_enabled',
    'paypal_client_id',
    'paypal_client_secret',
    'paypal_webhook_id',
  ],
  legal: [
    'company_name',
    'company_address',
    'company_zip',
    'company_city',
    'company_country',
    'company_vat',
    'privacy_policy',
    'terms_of_service',
  ],
  backup: ['backup_daily', 'backup_hour', 'backup_keep'],
};

/** What the guide looks at (`setup:check.<code>`, and what to do about it: `setup:help.<code>`). */
export const SETUP_CHECKS = [
  'https',
  'sameAddress',
  'mailServer',
  'mailTaken',
  'panelBuiltIn',
  'panelAnswers',
  'panelRights',
  'nodeAnswers',
  'serversRun',
  'location',
  'egg',
  'serverAllowed',
  'serverFits',
  'sourceOn',
  'discordApplication',
  'linkProvider',
  'discordTaken',
  'paymentWay',
  'stripeTaken',
  'paypalTaken',
  'company',
  'legalTexts',
  'backupProven',
  'backupDaily',
  'backupElsewhere',
] as const;
export type SetupCheckCode = (typeof SETUP_CHECKS)[number];
/** `warning` does not keep a step from being done. */
export const SETUP_CHECK_STATES = ['ok', 'warning', 'failed'] as const;

export interface SetupCheck {
  readonly code: SetupCheckCode;
  readonly state: (typeof SETUP_CHECK_STATES)[number];
  /** What was found, as it is: an address, a name, the words of another server. */
  readonly fact: string | null;
}

/** `open`: still to do, or not right any more. */
export const SETUP_STATES = ['open', 'done', 'skipped'] as const;
export type SetupState = (typeof SETUP_STATES)[number];
