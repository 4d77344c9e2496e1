/** Dashboards that users, credits and servers are brought from. */
export const IMPORT_PRODUCTS = [
  'ctrlpanel',
  'mythicaldash3',
  'mythicaldash4',
  'paymenter',
  'jexactyl',
  'heliactyl',
] as const;
export type ImportProduct = (typeof IMPORT_PRODUCTS)[number];
/** What they are called, with the versions that are read. */
export const IMPORT_PRODUCT_NAMES: Readonly<Record<ImportProduct, string>> = {
  ctrlpanel: 'CtrlPanel 1',
  mythicaldash3: 'MythicalDash 3',
  mythicaldash4: 'MythicalDash 4',
  paymenter: 'Paymenter 1',
  jexactyl: 'Jexactyl 3',
  heliactyl: 'Heliactyl',
};
/** Those that seal values with a key of their own. */
export const SEALED_PRODUCTS: readonly ImportProduct[] = ['mythicaldash3', 'mythicaldash4'];

/** What is brought along, in the order in which it is. */
export const IMPORT_KINDS = ['user', 'server', 'code', 'package', 'payment', 'ticket', 'setting'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * Where a run stands: `checked` (a dry run ended: nothing was changed), `running`, `done`, `failed` (it can be gone on
 * with), `undone`.
 */
export const IMPORT_STATES = ['checked', 'running', 'done', 'failed', 'undone'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/**
 * Why a run ended before it was done: `not_readable` (no dump, or cut off), `other_product`, `version` (one that is not
 * read), `address` (no database may be asked there), `connection` (it did not answer), `sums` (the credits do not add
 * up), `panel` (none is connected, or several are), `key` (the key of the old dashboard is missing or another one),
 * `busy`, `not_undoable`, `disk_full`, `stopped`; and of undoing: `undo_stopped` (it was begun and is not over),
 * `some_stayed` (it is over; who logged in meanwhile stays).
 */
export const IMPORT_FAULTS = [
  'not_readable',
  'other_product',
  'version',
  'address',
  'connection',
  'sums',
  'panel',
  'key',
  'busy',
  'not_undoable',
  'disk_full',
  'stopped',
  'undo_stopped',
  'some_stayed',
] as const;
export type ImportFaultCode = (typeof IMPORT_FAULTS)[number];

/**
 * Why something of the source does not come along, or not as it was. Those that say `renamed`, `merged`, `cut`,
 * `negative`, `staked`, `no_password`, `limits_unreadable` and `suspended` are said of what does come.
 */
export const IMPORT_REASONS = [
  'row_invalid',
  'id_twice',
  'email_missing',
  'email_invalid',
  'email_twice',
  'email_taken',
  'name_taken',
  'renamed',
  'merged',
  'no_password',
  'credits_unreadable',
  'credits_too_large',
  'negative',
  'staked',
  'other_currency',
  'limits_unreadable',
  'discord_taken',
  'server_not_made',
  'owner_missing',
  'server_taken',
  'server_missing',
  'server_refused',
  'account_refused',
  'suspended',
  'no_counterpart',
  'code_over',
  'code_invalid',
  'code_taken',
  'package_invalid',
  'setting_invalid',
  'ticket_empty',
] as const;
export type ImportReason = (typeof IMPORT_REASONS)[number];

/** How users are settled who have the address of somebody who is here already, or of another user of the source. */
export const EMAIL_RULES = ['skip', 'merge'] as const;
export type EmailRule = (typeof EMAIL_RULES)[number];
/** The same for names. */
export const NAME_RULES = ['rename', 'skip'] as const;
export type NameRule = (typeof NAME_RULES)[number];
/** What is done about an import, one at a time. */
export const IMPORT_TASKS = ['check', 'apply', 'undo'] as const;
export type ImportTask = (typeof IMPORT_TASKS)[number];

/** Steps of a task, in their order; `done` beside them counts bytes or rows for `read`, and records for the others. */
export const IMPORT_STEPS = [
  'begin',
  'read',
  'map',
  'panel',
  'plan',
  'hash',
  'user',
  'bind',
  'server',
  'code',
  'package',
  'payment',
  'ticket',
  'setting',
  'ban',
  'prove',
] as const;
export type ImportStep = (typeof IMPORT_STEPS)[number];

/** What a unit of the source's currency is worth here. */
export const IMPORT_FACTORS = [1, 10, 100, 1000] as const;

/** Products whose payments may not say in which currency they were; which balance becomes credits is another question. */
export const CURRENCY_PRODUCTS: readonly ImportProduct[] = ['paymenter', 'mythicaldash4'];

/** Days of a renewal at most. */
export const RENEW_DAYS_MAX = 3650;

/** Longest name of an installation that something is brought from. */
export const INSTANCE_MAX = 40;
