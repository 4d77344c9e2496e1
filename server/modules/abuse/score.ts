import type { ReasonCode } from '#shared/abuse.ts';
import { HOUR } from '#shared/time.ts';

/** What is known about a user when a reward is to be paid. Counts are of other accounts. */
export interface ScoreFacts {
  /** Accounts that came to the same device together with this one, as a farm does: the most of all their devices. */
  readonly device: number;
  /** Accounts made within a day that came to the same device within a day. */
  readonly deviceDay: number;
  /** Others on the same device, that came at other times: a family, a school's computer. */
  readonly deviceSpread: number;
  /** Accounts that joined behind the same address within a day, and of these those with throw-away mail. */
  readonly joined: number;
  readonly joinedThrowaway: number;
  /** Accounts that joined behind the same address within an hour, and of these those on devices that several share. */
  readonly joinedNow: number;
  readonly joinedShared: number;
  /** Age of the account in ms. */
  readonly ageMs: number;
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
export interface ScoreTerms {
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
  /** The account is new, and may be one of a burst of which too little can be seen yet. */
  readonly early: boolean;
  /** The account is so new that what is known of it changes by the minute. */
  readonly young: boolean;
}

/** Points by count: the last row whose `from` is reached counts. */
type Steps = readonly (readonly [from: number, points: number])[];

/**
 * Points of each signal (behaviour 4.6), against a threshold of 60 unless the host sets another. An address is shared
 * by schools, dormitories and whole mobile networks, so alone, and with everything else an honest newcomer has, it
 * never holds anything (attacks T19). A device is shared by a family: one or two other accounts are not enough either.
 * A school's computer is shared by many who came over months, each for themselves: that weighs little. What farms have
 * in common is that their accounts come in bursts; so bursts on a device, of devices that are shared behind one
 * address, and of throw-away mail behind one address weigh most. Measured in measured.test.ts.
 */
const POINTS = {
  deviceShared: [
    [1, 25],
    [2, 45],
    [3, 70],
  ],
  deviceSpread: [
    [1, 10],
    [4, 15],
  ],
  /** A school has no more lessons a day than this. */
  deviceDay: [
    [6, 45],
    [8, 70],
  ],
  addressShared: [
    [3, 5],
    [20, 10],
  ],
  identityShared: [[1, 70]],
  paymentShared: [
    [1, 20],
    [2, 50],
  ],
  /** Only with others on their own device. */
  sharedAround: [[6, 30]],
  /**
   * Only with throw-away mail of their own, and where a quarter of the newcomers have it: a few in a school are no
   * burst.
   */
  throwawayAround: [
    [3, 25],
    [10, 35],
  ],
  codeOnDevice: [
    [3, 20],
    [5, 30],
  ],
  codeAround: [
    [3, 5],
    [10, 10],
  ],
} as const satisfies Record<string, Steps>;
const THROWAWAY_SHARE = 1 / 4;
const DISPOSABLE = 25;
/** A Discord account of fewer days than the first number gets the points. */
const YOUNG = [
  [7, 20],
  [30, 10],
] as const;

/** How long an account counts as new. */
const YOUNG_MS = HOUR;
/** Newcomers behind an address within an hour that are more than a household. */
const CROWD_SIZE = 5;

/**
 * Whether the first rewards of a burst wait some minutes, until the burst can be seen: a second account on a device in
 * a crowd, a second throw-away mail.
 */
function isEarly(facts: ScoreFacts, terms: ScoreTerms): boolean {
  if (terms.altAllowed || facts.ageMs >= YOUNG_MS) return false;
  return (facts.device > 0 && facts.joinedNow >= CROWD_SIZE) || (facts.disposableMail && facts.joinedThrowaway > 0);
}

/** Most points that the same redeem code within an hour adds. */
export const CODE_POINTS_MAX = Math.max(...[...POINTS.codeOnDevice, ...POINTS.codeAround].map(([, points]) => points));

/**
 * The same redeem code within an hour: accounts on the same device, and behind the same address. In: their counts. Out:
 * a line, or null where it weighs nothing.
 */
export function codeReason(
  terms: Pick<ScoreTerms, 'altAllowed'>,
  same: { readonly device: number; readonly address: number },
): Reason | null {
  const [device, around] = [pointsFor(POINTS.codeOnDevice, same.device), pointsFor(POINTS.codeAround, same.address)];
  if (terms.altAllowed || device + around === 0) return null;
  return { code: 'codeShared', weight: Math.max(device, around), count: device >= around ? same.device : same.address };
}

/**
 * The score of a user: the sum of what speaks against them, each with its points. In: facts and terms. Out: nothing
 * speaks against them: 0.
 */
export function computeScore(facts: ScoreFacts, terms: ScoreTerms): Score {
  const reasons: Reason[] = [];
  const add = (code: ReasonCode, weight: number, count: number | null = null) => {
    if (weight > 0 || code === 'vpnUnknown') reasons.push({ code, weight, count });
  };
  if (!terms.altAllowed) {
    add('deviceShared', pointsFor(POINTS.deviceShared, facts.device), facts.device);
    if (facts.device < 3)
      add(
        'deviceSpread',
        Math.max(pointsFor(POINTS.deviceSpread, facts.deviceSpread), pointsFor(POINTS.deviceDay, facts.deviceDay)),
        facts.deviceSpread,
      );
    add('addressShared', pointsFor(POINTS.addressShared, facts.address), facts.address);
    if (facts.device > 0) add('sharedAround', pointsFor(POINTS.sharedAround, facts.joinedShared), facts.joinedShared);
    const burst = facts.disposableMail && facts.joinedThrowaway >= facts.joined * THROWAWAY_SHARE;
    if (burst) add('throwawayAround', pointsFor(POINTS.throwawayAround, facts.joinedThrowaway), facts.joinedThrowaway);
    add('identityShared', pointsFor(POINTS.identityShared, facts.identity), facts.identity);
    add('paymentShared', pointsFor(POINTS.paymentShared, facts.payment), facts.payment);
  }
  if (facts.disposableMail) add('disposableMail', DISPOSABLE);
  const days = facts.discordDays;
  if (days !== null) add('discordYoung', YOUNG.find(([below]) => days < below)?.[1] ?? 0, Math.floor(days));
  if (!terms.vpnAllowed && facts.vpn === 'vpn') add('vpn', terms.vpnWeight);
  if (!terms.vpnAllowed && facts.vpn === 'unknown') add('vpnUnknown', terms.unknownHolds ? terms.vpnWeight : 0);
  return {
    score: reasons.reduce((sum, { weight }) => sum + weight, 0),
    reasons,
    early: isEarly(facts, terms),
    young: facts.ageMs < YOUNG_MS,
  };
}

function pointsFor(steps: Steps, count: number): number {
  return steps.findLast(([from]) => count >= from)?.[1] ?? 0;
}
