import type { ServerView } from './contract/server-views.ts';
import { DAY } from './time.ts';

/** From this long before its expiry a server counts as expiring, as in "pay all due" (contract, renewAll). In ms. */
export const EXPIRING_MS = 3 * DAY;

/** Whether the server needs credits soon: it is suspended for being unpaid, or its time ends within three days. */
export function needsCredits(
  server: Pick<ServerView, 'state' | 'suspend_reason' | 'expires_at'>,
  nowMs: number,
): boolean {
  if (server.state === 'suspended') return server.suspend_reason === 'expired';
  if (server.state !== 'active' || server.expires_at === null) return false;
  return Date.parse(server.expires_at) - nowMs <= EXPIRING_MS;
}
