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
  'tokenCreated',
  'panelAccount',
  'accountBanned',
  'accountBannedForGood',
  'banLifted',
  'deletionRequested',
  'staffMessage',
  'renewReminder',
  'renewOverdue',
  'serverSuspended',
  'serverDeleteWarning',
  'serverDeleted',
  'serverReady',
  'serverFailed',
  'capacityFree',
] as const;
