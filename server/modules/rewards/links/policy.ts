import type { LinkProviderId } from '#shared/link-providers.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { networkOf } from '../../identity/index.ts';
import type { Claim } from './ports.ts';

/** What a provider pays and how often, by the settings of the moment (behaviour 4.5). */
export interface Terms {
  readonly enabled: boolean;
  readonly credits: number;
  readonly cooldownMs: number;
  /** Rewards a user and day; 0 = no bound. */
  readonly daily: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** The terms of a provider. */
export function termsOf(values: SettingValues, id: LinkProviderId): Terms {
  return {
    enabled: values[`link_${id}_enabled`],
    credits: values[`link_${id}_credits`],
    cooldownMs: values[`link_${id}_cooldown_minutes`] * MINUTE,
    daily: values[`link_${id}_daily`],
    minMs: values[`link_${id}_min_seconds`] * SECOND,
    // A way that has to be longer than it may be would never be paid.
    maxMs: Math.max(values[`link_${id}_max_minutes`] * MINUTE, values[`link_${id}_min_seconds`] * SECOND + MINUTE),
  };
}

/** When the next way may begin: null where it may now, else the moment it may. */
export function waitUntil(
  terms: Terms,
  today: { count: number; lastMs: number | null },
  nowMs: number,
  dayEndMs: number,
): { reason: 'cooldown' | 'daily'; untilMs: number } | null {
  if (terms.daily > 0 && today.count >= terms.daily) return { reason: 'daily', untilMs: dayEndMs };
  const free = (today.lastMs ?? -Infinity) + terms.cooldownMs;
  // A last time that lies ahead means that the clock was set back: it does not lengthen the pause (attacks T12).
  if (today.lastMs !== null && today.lastMs <= nowMs && nowMs < free) return { reason: 'cooldown', untilMs: free };
  return null;
}

/** Where somebody is, roughly: the /24 of an IPv4 address, the /64 of an IPv6 one. */
export function subnetOf(address: string): string {
  return networkOf(address).replace(/\.\d+$/, '');
}

/** Whether a visitor came back from elsewhere: another network and another login than they left from. */
export function hasMoved(
  claim: Pick<Claim, 'sessionId' | 'network'>,
  now: { sessionId: string; network: string },
): boolean {
  return claim.sessionId !== now.sessionId && claim.network !== now.network;
}

/** The ledger's reference of a claim's reward (behaviour 2). */
export const referenceOf = (claimId: string): string => `link:${claimId}`;
