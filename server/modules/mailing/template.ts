import type { Locale } from '#shared/i18n/locales.ts';
import type { MailBlock, MailContent } from '#shared/mails.ts';
import type { MailTemplate, MailVars } from './ports.ts';
import { findText, type MailTexts } from './texts.ts';

/** Lines of facts: what is before the first colon names what is behind it. */
const FACT = /^[^:{}\n]{1,40}?\s?:\s.*\{\{\w+\}\}/;
const CODE = /^\{\{code\}\}$/;

/**
 * The variables of each mail besides its link, which its button has, and `app`, which every mail has. Whatever
 * `MailVars` declares stands here, and nothing else: both by type.
 */
const VARIABLES = {
  verify: ['name'],
  accountExists: ['name'],
  deletionRequested: ['name', 'when'],
  emailChange: ['name'],
  emailTaken: ['name'],
  emailChanged: ['name', 'when'],
  twoFactorOn: ['name', 'when'],
  twoFactorOff: ['name', 'when'],
  passkeyAdded: ['name', 'passkey', 'when'],
  passkeyRemoved: ['name', 'passkey', 'when'],
  twoFactorRemoved: ['name', 'when'],
  passkeyTaken: ['name', 'passkey', 'when'],
  identityLinked: ['name', 'provider', 'when'],
  identityUnlinked: ['name', 'provider', 'when'],
  identityTaken: ['name', 'provider', 'when'],
  usernameChanged: ['name', 'from', 'to', 'when'],
  tokenCreated: ['name', 'token', 'when'],
  passwordReset: ['name'],
  passwordChanged: ['name', 'device', 'address', 'when'],
  accountBanned: ['name', 'reason', 'when'],
  accountBannedForGood: ['name', 'reason'],
  banLifted: ['name'],
  staffMessage: ['name', 'subject', 'text'],
  pluginMail: ['name', 'subject', 'text', 'plugin'],
  newDevice: ['name', 'device', 'address', 'when'],
  renewReminder: ['name', 'server', 'days', 'credits', 'when'],
  renewOverdue: ['name', 'server', 'credits', 'when', 'until'],
  serverSuspended: ['name', 'server', 'when'],
  serverDeleteWarning: ['name', 'server', 'when'],
  serverDeleted: ['name', 'server'],
  serverReady: ['name', 'server', 'address'],
  serverFailed: ['name', 'server'],
  panelAccount: ['name', 'code', 'panel'],
  ticketAnswered: ['name', 'number', 'subject', 'text'],
  ticketOpened: ['name', 'number', 'subject'],
  ticketMailLimit: ['name', 'subject'],
  ticketMailRefused: ['name', 'number', 'subject'],
  capacityFree: ['name', 'location'],
  notification: ['name', 'sentence'],
  notificationDigest: ['name', 'list'],
  test: ['name'],
} as const satisfies { readonly [T in MailTemplate]: readonly Exclude<keyof MailVars[T], 'path'>[] };
type Undeclared = {
  [T in MailTemplate]: Exclude<keyof MailVars[T], 'path' | (typeof VARIABLES)[T][number]>;
}[MailTemplate];
/** Compiles only while every variable is declared above. */
const ALL: [Undeclared] extends [never] ? typeof VARIABLES : never = VARIABLES;

/** Variables that a mail's content may use. */
export function variablesOf(template: MailTemplate): readonly string[] {
  const own: readonly string[] = ALL[template];
  return [...own, 'app'];
}

/** The variables without which a mail is of no use. */
export function requiredVariables(template: MailTemplate): readonly string[] {
  return REQUIRED[template] ?? [];
}
const REQUIRED: Readonly<Partial<Record<MailTemplate, readonly string[]>>> = {
  panelAccount: ['code'],
  staffMessage: ['text'],
  pluginMail: ['text'],
  ticketAnswered: ['text'],
  notification: ['sentence'],
  notificationDigest: ['list'],
};
/** Mails whose link is what they are sent for. */
const WITH_BUTTON: ReadonlySet<MailTemplate> = new Set([
  'verify',
  'passwordReset',
  'emailChange',
  'emailChanged',
  'deletionRequested',
]);
/** Whether a mail is of no use without its button. */
export const needsButton = (template: MailTemplate): boolean => WITH_BUTTON.has(template);

/** The product's own content of a mail in a language; what it lacks is taken from English. */
export function defaultContent(
  texts: (locale: Locale) => MailTexts,
  template: MailTemplate,
  locale: Locale,
): MailContent {
  const own = (name: string) => findText(texts, locale, [template, name]);
  const body = own('body')
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((text): MailBlock => ({ kind: kindOf(text), text }));
  const greeting: MailBlock = { kind: 'text', text: findText(texts, locale, ['greeting']) };
  return { subject: own('subject'), blocks: [greeting, ...body, { kind: 'button', text: own('button') }] };
}

function kindOf(paragraph: string): MailBlock['kind'] {
  if (CODE.test(paragraph)) return 'code';
  const all = paragraph.split('\n');
  return all.length > 1 && all.every((line) => FACT.test(line)) ? 'facts' : 'text';
}
