/**
 * What can become of an e-mail: it waits (`queued`), is being handed over (`sending`), was taken by the mail server
 * (`sent`), was handed over without an answer (`unknown`: it is not sent again by itself, so that nobody gets it
 * twice), was refused for good or given up (`failed`), was taken back by staff (`cancelled`), or stays in the outbox
 * because there is no mail server (`kept`).
 */
export const MAIL_STATES = ['queued', 'sending', 'sent', 'unknown', 'failed', 'cancelled', 'kept'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** The mails that the product itself writes, as staff see them in lists. */
export const MAIL_TEMPLATES = [
  'verify',
  'accountExists',
  'passwordReset',
  'passwordChanged',
  'newDevice',
  'emailChange',
  'emailTaken',
  'emailChanged',
  'twoFactorOn',
  'twoFactorOff',
  'passkeyAdded',
  'passkeyRemoved',
  'twoFactorRemoved',
  'passkeyTaken',
  'identityLinked',
  'identityUnlinked',
  'identityTaken',
  'usernameChanged',
  'tokenCreated',
  'panelAccount',
  'accountBanned',
  'accountBannedForGood',
  'banLifted',
  'deletionRequested',
  'staffMessage',
  'pluginMail',
  'renewReminder',
  'renewOverdue',
  'serverSuspended',
  'serverDeleteWarning',
  'serverDeleted',
  'serverReady',
  'serverFailed',
  'ticketAnswered',
  'ticketOpened',
  'ticketMailLimit',
  'ticketMailRefused',
  'capacityFree',
  'notification',
  'notificationDigest',
] as const;

/** The name of one of them. */
export type ProductMail = (typeof MAIL_TEMPLATES)[number];

/** Kinds of mails that hosts write themselves. Each can be turned off (behaviour 7.5). */
export const MAIL_KINDS = ['news', 'offers'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];
/** What stands for them in the outbox. */
export const OWN_TEMPLATES = { news: 'ownNews', offers: 'ownOffers' } as const satisfies Record<MailKind, string>;
export type OwnTemplate = (typeof OWN_TEMPLATES)[MailKind];
/** Variables of such a mail: how its receiver is addressed, their username, the name of the installation. */
export const OWN_VARIABLES = ['name', 'username', 'app'] as const;
/** How recently users were seen that it is sent to, in days. */
export const AUDIENCE_SEEN = { week: 7, month: 30, quarter: 90 } as const;
export type AudienceSeen = keyof typeof AUDIENCE_SEEN;

/** What a mail is made of. `facts`: lines `label: value`; `button`: the mail's own link; `code`: shown large. */
export const MAIL_BLOCKS = ['heading', 'text', 'facts', 'code', 'button', 'note', 'divider'] as const;
export interface MailBlock {
  readonly kind: (typeof MAIL_BLOCKS)[number];
  /** Plain text with variables as `{{name}}`; '' of a divider. */
  readonly text: string;
}
/** What stands in a mail, before its variables are filled in. */
export interface MailContent {
  readonly subject: string;
  readonly blocks: readonly MailBlock[];
}
/** Blocks of a mail, and characters of one and of the subject, at most. */
export const MAIL_BLOCKS_MAX = 30;
export const MAIL_BLOCK_MAX = 4000;
export const MAIL_SUBJECT_CHARS = 150;

/**
 * What a text has between braces that is no variable of the mail: other names, and whatever else looks like a
 * placeholder or a command, such as loops (attacks T47). In: the text, the names that are allowed. Out: each as it was
 * typed, once.
 */
export function unknownVariables(text: string, allowed: readonly string[]): string[] {
  const found = text.match(/\{\{[^{}\n]{0,60}\}?\}?|\}\}/g) ?? [];
  return [...new Set(found.filter((each) => !allowed.some((name) => each === `{{${name}}}`)))];
}
