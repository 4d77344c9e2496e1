import type { Bit, Ms } from './values.ts';

export interface Mails {
  id: string;
  user_id: string | null;
  address: string;
  template: string;
  locale: string;
  subject: string;
  text: string;
  html: string;
  state: 'queued' | 'sending' | 'sent' | 'unknown' | 'failed' | 'cancelled' | 'kept';
  attempts: number;
  last_error: string | null;
  message_id: string;
  unique_key: string | null;
  created_ms: Ms;
  sent_ms: Ms | null;
  tried_ms: Ms | null;
  reply_code: number | null;
  bounced: Bit;
  /** Not before then; null: at once. */
  due_ms: Ms | null;
  ticket_id: string | null;
}

/** A mail that a host writes itself. `contents`: JSON by language. */
export interface OwnMails {
  id: string;
  name: string;
  kind: 'news' | 'offers';
  link: string;
  contents: string;
  revision: number;
  created_ms: Ms;
  updated_ms: Ms;
  updated_by: string | null;
}

/** One of them on its way to many users. `audience`: JSON. */
export interface MailCampaigns {
  id: string;
  mail_id: string;
  name: string;
  kind: 'news' | 'offers';
  link: string;
  contents: string;
  audience: string;
  state: 'sending' | 'done' | 'cancelled';
  last_user_id: string;
  total: number;
  written: number;
  created_ms: Ms;
  created_by: string | null;
  ended_ms: Ms | null;
}

/** Users who want no mails of a kind. */
export interface MailOptOuts {
  user_id: string;
  kind: 'news' | 'offers';
  created_ms: Ms;
}

/** A mail of the product as the host writes it, in one language. `blocks`: JSON. */
export interface MailTexts {
  template: string;
  locale: string;
  subject: string;
  blocks: string;
  revision: number;
  updated_ms: Ms;
  updated_by: string | null;
}

export interface Notifications {
  id: string;
  user_id: string;
  kind: string;
  data: string;
  unique_key: string | null;
  created_ms: Ms;
  read_ms: Ms | null;
  /** Whether it is listed in the app. */
  shown: Bit;
  /** Whether it waits for the mail of the day. */
  digest: Bit;
}

/** By which ways a user wants notifications. `choices`: JSON by subject; hours of their time zone. */
export interface NotificationChoicesTable {
  user_id: string;
  choices: string;
  digest_hour: number;
  quiet_from: number | null;
  quiet_until: number | null;
  updated_ms: Ms;
}

/** Users for whom something waits for their mail of the day. */
export interface NotificationDigests {
  user_id: string;
  due_ms: Ms;
}

/** The keys by which push services know the installation; the private one is sealed. */
export interface PushKeys {
  id: string;
  public_key: string;
  private_key: string;
  created_ms: Ms;
}

/** A browser that takes pushes, until its session ends. */
export interface PushSubscriptions {
  id: string;
  user_id: string;
  session_id: string;
  endpoint: string;
  public_key: string;
  auth: string;
  device: string;
  created_ms: Ms;
  reached_ms: Ms | null;
}

export interface MailTables {
  mails: Mails;
  mail_texts: MailTexts;
  own_mails: OwnMails;
  mail_campaigns: MailCampaigns;
  mail_opt_outs: MailOptOuts;
  notifications: Notifications;
  notification_choices: NotificationChoicesTable;
  notification_digests: NotificationDigests;
  push_keys: PushKeys;
  push_subscriptions: PushSubscriptions;
}
