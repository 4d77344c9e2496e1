import type { Namespace } from './namespaces.ts';
import type { TextFile } from './text-files.ts';

/** Namespaces that every page needs, and those of the pages of guests. */
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

/** Those of the pages of who is signed in. What stands in neither is for staff alone. */
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
  'sharing',
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
