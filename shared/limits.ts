import type { SettingValues } from './settings.ts';

/**
 * Rate limits of endpoints: `max` calls in `windowS` seconds, counted per user (per address for guests). Limits that
 * affect many users behind one address, such as a school, are settings: then `max` is the key. `challenged`: raised
 * while a challenge is on, which tells humans from bots better.
 */
export interface RateLimit {
  readonly per: 'user' | 'address';
  readonly max: number | LimitSetting;
  readonly windowS: number;
  readonly challenged?: true;
}
/** Settings that are limits of an address. */
type LimitSetting =
  | 'limit_login'
  | 'limit_register'
  | 'limit_reset'
  | 'limit_challenge'
  | 'limit_guest_reads'
  | 'limit_image_reads'
  | 'limit_image_reports';

export const LIMITS = {
  /** The default. */
  read: { per: 'user', max: 600, windowS: 60 },
  /** The same of visitors without a session. */
  guestRead: { per: 'address', max: 'limit_guest_reads', windowS: 60 },
  write: { per: 'user', max: 120, windowS: 60 },
  login: { per: 'address', max: 'limit_login', windowS: 60, challenged: true },
  /** What passkeys sign: counted apart from passwords and codes, so that wrong ones of others keep nobody out. */
  passkey: { per: 'address', max: 'limit_login', windowS: 60 },
  register: { per: 'address', max: 'limit_register', windowS: 600, challenged: true },
  /** Requesting a link by e-mail: against flooded mailboxes and enumeration. */
  reset: { per: 'address', max: 'limit_reset', windowS: 600 },
  mail: { per: 'user', max: 10, windowS: 600 },
  stream: { per: 'user', max: 30, windowS: 60 },
  afk: { per: 'user', max: 60, windowS: 60 },
  create: { per: 'user', max: 30, windowS: 60 },
  /** Start, stop, restart: each is a call to the panel, whose own limit all users share. */
  power: { per: 'user', max: 20, windowS: 60 },
  /** Letting somebody work on a server: each is a notification. */
  subuser: { per: 'user', max: 30, windowS: 3600 },
  /** Lines for a console. */
  command: { per: 'user', max: 120, windowS: 60 },
  /** Live usage of one's servers. */
  usage: { per: 'user', max: 120, windowS: 60 },
  /** Creating a puzzle costs the server a little. */
  challenge: { per: 'address', max: 'limit_challenge', windowS: 60 },
  /** New tickets and messages in them. */
  ticket: { per: 'user', max: 20, windowS: 600 },
  /** Files of messages. */
  attachment: { per: 'user', max: 40, windowS: 600 },
  /** That somebody is typing, every few seconds. */
  typing: { per: 'user', max: 60, windowS: 60 },
  /** Searching players by name. */
  lookup: { per: 'user', max: 40, windowS: 60 },
  /** Checking an order with its gateway. */
  check: { per: 'user', max: 6, windowS: 60 },
  /** Webhooks of gateways, before their signature is verified. */
  webhook: { per: 'address', max: 1200, windowS: 60 },
  /** Mails that a mail service hands over: each may be large. */
  ticketMail: { per: 'address', max: 120, windowS: 60 },
  /** Parts of 4 MB of files that go to a server: as fast as a line of 100 MB a second. */
  fileUpload: { per: 'user', max: 1500, windowS: 60 },
  upload: { per: 'user', max: 20, windowS: 600 },
  /** Images of users: those of one user are counted besides, wherever they come from. */
  imageUpload: { per: 'user', max: 300, windowS: 600 },
  /** Reports of images: each is read by somebody. */
  imageReport: { per: 'address', max: 'limit_image_reports', windowS: 600 },
  /** All of one's images at once. */
  imageArchive: { per: 'user', max: 6, windowS: 3600 },
  /** Requests for images: a page may hold a hundred, and a cache on the way asks for many visitors. */
  imageFile: { per: 'address', max: 'limit_image_reads', windowS: 60 },
} as const satisfies Record<string, RateLimit>;
export type LimitName = keyof typeof LIMITS;

/** A limit of an address, raised while a challenge is on. */
export function raisedLimit(
  max: number,
  { challenge, limit_challenge_factor: factor }: Pick<SettingValues, 'challenge' | 'limit_challenge_factor'>,
): number {
  return challenge === 'off' ? max : max * factor;
}

/** The maximum calls of a limit in its window, by the current settings. */
export function limitMax(name: LimitName, settings: SettingValues): number {
  const limit: RateLimit = LIMITS[name];
  const max = typeof limit.max === 'number' ? limit.max : settings[limit.max];
  return limit.challenged ? raisedLimit(max, settings) : max;
}
