import type { EndpointName } from './token-endpoints.ts';

/**
 * What staff read while they view as a user (behaviour 8.3; attacks T39), and the two commands that they have: to end
 * it, and to log out. Whatever is not named here is shut: account, security, statement, payments and gifts, codes and
 * links that are worth credits, and every page of staff.
 */
const OPEN: ReadonlySet<string> = new Set<EndpointName>([
  'viewing.end',
  'auth.logout',
  'session.get',
  'live.events',
  'dashboard.get',
  'servers.list',
  'servers.get',
  'servers.usage',
  'servers.usageHistory',
  'subusers.get',
  'servers.options',
  'servers.availability',
  'afk.state',
  'store.items',
  'announcements.list',
  'announcements.get',
  'leaderboard.get',
  'profiles.get',
  'profiles.lookup',
  'account.skin',
]);

/** Whether an endpoint (`group.name`) may be called while viewing as somebody. */
export const isOpenToViewing = (name: string): boolean => OPEN.has(name);
