import type { Namespace } from './namespaces.ts';

/**
 * The files in which the texts of a language come to a browser, each immutable: `common` what every page needs and the
 * pages of guests, `player` the pages of who is signed in, `staff` all others.
 */
export type TextFile = 'common' | 'player' | 'staff';

const COMMON: ReadonlySet<string> = new Set<Namespace>([
  'ui',
  'errors',
  'shell',
  'startup',
  'connection',
  'system',
  'challenge',
  'auth',
  'twoFactor',
  'passkeys',
  'passwordReset',
  'emailChange',
  'sso',
  'referrals',
  'statusPage',
]);

const PLAYER: ReadonlySet<string> = new Set<Namespace>([
  'dashboard',
  'images',
  'imageReports',
  'account',
  'activity',
  'notificationSettings',
  'deletion',
  'statement',
  'webhookDocs',
  'announcements',
  'sources',
  'earn',
  'j4r',
  'linkedAccounts',
  'apiTokens',
  'links',
  'store',
  'tickets',
  'heldRewards',
  'community',
  'payments',
  'servers',
  'live',
  'resources',
  'customize',
  'palette',
  'debug',
]);

/** The file that holds a namespace. */
export function textFileOf(namespace: Namespace): TextFile {
  if (COMMON.has(namespace)) return 'common';
  return PLAYER.has(namespace) ? 'player' : 'staff';
}

/** The files that hold some namespaces, each once. */
export const textFilesOf = (namespaces: Iterable<Namespace>): TextFile[] => [
  ...new Set([...namespaces].map(textFileOf)),
];

/** The address of a file of texts. In: the build, which makes it immutable. */
export const textFileUrl = (locale: string, file: TextFile, build: string): string =>
  `/assets/locales/${locale}/${file}.json?v=${build}`;
