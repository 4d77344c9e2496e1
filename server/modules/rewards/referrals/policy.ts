import { dayIn, HOUR } from '#shared/time.ts';
import { wallTimeToMs } from '#shared/zoned.ts';
import type { Activity, ReferralReason } from './ports.ts';

/** Characters of a code: without those that are taken for each other (0 o, 1 l i). */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** Characters a code has: some 40 bits, so codes cannot be walked through. */
const LENGTH = 8;

/** A code from a random text's SHA-256 in hex: eight letters and digits. */
export function codeFrom(hash: string): string {
  return Array.from(
    { length: LENGTH },
    (_, index) => ALPHABET[Number.parseInt(hash.slice(index * 2, index * 2 + 2), 16) % ALPHABET.length],
  ).join('');
}

/**
 * The form in which codes are compared: what people add when they copy or type one (capitals, blanks, dashes) falls
 * away. '' where nothing is left.
 */
export function normaliseReferral(typed: string): string {
  return typed
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '');
}

/** What a newcomer has to have done (behaviour 4.4; all three are settings). */
interface Terms {
  readonly minAgeMs: number;
  readonly afkMinutes: number;
  /** Addresses have to be confirmed on this installation. */
  readonly verification: boolean;
}
/** The newcomer at the moment. */
interface Standing {
  readonly verified: boolean;
  readonly ageMs: number;
  readonly activity: Activity;
}
/** Which of the three conditions are met. */
export interface Checks {
  readonly verified: boolean;
  readonly age: boolean;
  readonly active: boolean;
}

/** Which conditions a newcomer meets. */
export function checksOf(terms: Terms, { verified, ageMs, activity }: Standing): Checks {
  return {
    verified: verified || !terms.verification,
    age: ageMs >= terms.minAgeMs,
    active: activity.server || activity.afkMinutes >= terms.afkMinutes,
  };
}

export const qualifies = ({ verified, age, active }: Checks): boolean => verified && age && active;

/**
 * How long until a pending referral is looked at again by itself: hourly in the first week, then daily. Events wake it
 * earlier.
 */
export function recheckDelay(ageMs: number): number {
  return ageMs < 7 * 24 * HOUR ? HOUR : 24 * HOUR;
}

/** The first moment of the calendar month of a moment in a time zone, UTC ms. */
export function monthStart(ms: number, zone: string): number {
  return wallTimeToMs(`${dayIn(ms, zone).slice(0, 7)}-01T00:00`, zone) ?? ms;
}

/** The reason as the two may know it: which of their signs agree stays with the staff (attacks T19). */
export function publicReason(
  reason: ReferralReason | null,
): Exclude<ReferralReason, 'shared_address' | 'shared_device' | 'shared_identity'> | 'shared' | null {
  return reason === 'shared_address' || reason === 'shared_device' || reason === 'shared_identity' ? 'shared' : reason;
}
