import type { ReasonCode } from '#shared/abuse.ts';

/** What is known about a user when a reward is to be paid. Counts are of other accounts. */
export interface Facts {
  /** Accounts that were seen on the same device, the most of all their devices. */
  readonly device: number;
  /** Behind the same IPv4 address, or in the same /64. */
  readonly address: number;
  /** That ever had one of the same linked identities. */
  readonly identity: number;
  /** That paid with the same means. */
  readonly payment: number;
  /** The address of their mail belongs to a service for throw-away addresses. */
  readonly disposableMail: boolean;
  /** Age of the youngest linked Discord account in days; null without one. */
  readonly discordDays: number | null;
  readonly vpn: 'vpn' | 'clean' | 'unknown';
}
/** What the host and the permissions make of it. */
export interface Terms {
  /** Points for a VPN or a proxy. */
  readonly vpnWeight: number;
  /** An address about which nothing could be learned counts as a VPN. */
  readonly unknownHolds: boolean;
  /** `user.permission.alt`: other accounts are allowed. */
  readonly altAllowed: boolean;
  /** `user.permission.vpn` */
  readonly vpnAllowed: boolean;
}
/** One line of the explanation. */
export interface Reason {
  readonly code: ReasonCode;
  /** Points it adds. */
  readonly weight: number;
  /** How many other accounts, or how many days; null where there is nothing to count. */
  readonly count: number | null;
}
export interface Score {
  readonly score: number;
  readonly reasons: readonly Reason[];
}

/** Points by count: the last row whose `from` is reached counts. */
type Steps = readonly (readonly [from: number, points: number])[];

/**
 * Points of each signal (behaviour 4.6), against a threshold of 60 unless the host sets another. An address is shared by schools, dormitories and
 * whole mobile networks, so alone, and with everything else an honest newcomer has, it never holds anything (attacks T19). A device is shared by a
 * family: one or two other accounts are not enough either.
 */
const POINTS = {
  deviceShared: [[1, 25], [2, 45], [3, 70]],
  addressShared: [[3, 5], [20, 10]],
  identityShared: [[1, 70]],
  paymentShared: [[1, 20], [2, 50]],
} as const satisfies Record<string, Steps>;
const DISPOSABLE = 25;
/** A Discord account of fewer days than the first number gets the points. */
const YOUNG = [[7, 20], [30, 10]] as const;

/** The score of a user: the sum of what speaks against them, each with its points. In: facts and terms. Out: nothing speaks against them: 0. */
export function scoreOf(facts: Facts, terms: Terms): Score {
  const reasons: Reason[] = [];
  const add = (code: ReasonCode, weight: number, count: number | null = null) => {
    if (weight > 0 || code === 'vpnUnknown') reasons.push({ code, weight, count });
  };
  if (!terms.altAllowed) {
    add('deviceShared', step(POINTS.deviceShared, facts.device), facts.device);
    add('addressShared', step(POINTS.addressShared, facts.address), facts.address);
    add('identityShared', step(POINTS.identityShared, facts.identity), facts.identity);
    add('paymentShared', step(POINTS.paymentShared, facts.payment), facts.payment);
  }
  if (facts.disposableMail) add('disposableMail', DISPOSABLE);
  const days = facts.discordDays;
  if (days !== null) add('discordYoung', YOUNG.find(([below]) => days < below)?.[1] ?? 0, Math.floor(days));
  if (!terms.vpnAllowed && facts.vpn === 'vpn') add('vpn', terms.vpnWeight);
  if (!terms.vpnAllowed && facts.vpn === 'unknown') add('vpnUnknown', terms.unknownHolds ? terms.vpnWeight : 0);
  return { score: reasons.reduce((sum, { weight }) => sum + weight, 0), reasons };
}

function step(steps: Steps, count: number): number {
  return steps.findLast(([from]) => count >= from)?.[1] ?? 0;
}
