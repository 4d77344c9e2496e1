import type { UserStatus } from '../../identity/ports.ts';

export type ReferralState = 'pending' | 'qualified' | 'done' | 'rejected';
/** The two who are rewarded. */
export type Side = 'newcomer' | 'referrer';
/** What became of one reward; `none`: the setting gives nothing. */
type PartState = 'open' | 'paid' | 'held' | 'refused' | 'none';
/** Why a referral is rejected, or what a qualified one waits for. */
export type ReferralReason =
  | 'shared_address'
  | 'shared_device'
  | 'shared_identity'
  | 'circular'
  | 'newcomer_gone'
  | 'referrer_gone'
  | 'monthly_max'
  | 'budget'
  | 'cap'
  | 'unverified'
  | 'review';

export interface Part {
  readonly state: PartState;
  /** Credits, fixed when the referral qualifies. */
  readonly credits: number;
  readonly txId: string | null;
}
/** Who came by whom (behaviour 4.4). Times in UTC ms. */
export interface Referral {
  readonly newcomerId: string;
  readonly referrerId: string;
  readonly code: string;
  readonly state: ReferralState;
  readonly reason: ReferralReason | null;
  /** The network the newcomer registered from; null once the referral is closed. */
  readonly network: string | null;
  readonly createdMs: number;
  readonly nextCheckMs: number;
  readonly qualifiedMs: number | null;
  readonly closedMs: number | null;
  readonly newcomer: Part;
  readonly referrer: Part;
}
export interface ReferralChange {
  readonly state?: ReferralState;
  readonly reason?: ReferralReason | null;
  readonly network?: null;
  readonly nextCheckMs?: number;
  readonly qualifiedMs?: number;
  readonly closedMs?: number;
  readonly newcomer?: Part;
  readonly referrer?: Part;
  /** When the referrer's reward was counted: for "so many a month". */
  readonly referrerMs?: number;
}
/** One line of the referrer's list: of the newcomer only the name. */
export interface Invited extends Pick<Referral, 'state' | 'reason' | 'createdMs' | 'referrer'> {
  readonly newcomerId: string;
  readonly username: string;
}
/** What makes a newcomer qualify. */
export interface Activity {
  /** They had a server of their own that was installed. */
  readonly server: boolean;
  /** Paid AFK minutes, all sessions together. */
  readonly afkMinutes: number;
}
export interface Totals {
  readonly invited: number;
  /** Referrals whose reward was paid to the referrer, and the credits of these. */
  readonly paid: number;
  readonly credits: number;
}

export interface ReferralsRepo {
  codeOf(userId: string): Promise<string | null>;
  /** Whose code it is. */
  ownerOf(code: string): Promise<{ userId: string; status: UserStatus } | null>;
  /** Gives a user a code; false, and nothing changed, where the user has one or the code is taken. */
  addCode(userId: string, code: string, atMs: number): Promise<boolean>;
  /** Adds a referral; false where the newcomer came by somebody already. */
  add(
    row: Pick<Referral, 'newcomerId' | 'referrerId' | 'code' | 'network' | 'createdMs' | 'nextCheckMs'>,
  ): Promise<boolean>;
  of(newcomerId: string): Promise<Referral | null>;
  /** The same, locked until the transaction ends. */
  lock(newcomerId: string): Promise<Referral | null>;
  change(newcomerId: string, change: ReferralChange): Promise<void>;
  /** Newcomers whose referral is to be looked at, the longest due first. */
  due(nowMs: number, limit: number): Promise<string[]>;
  /** Has a pending referral checked next; nothing happens where there is none. */
  recheck(newcomerId: string, atMs: number): Promise<void>;
  /** Rewards of a referrer counted since a moment, held ones as well. */
  rewardedSince(referrerId: string, sinceMs: number): Promise<number>;
  list(referrerId: string, page: { offset: number; limit: number }): Promise<Invited[]>;
  totals(referrerId: string): Promise<Totals>;
  activityOf(userId: string): Promise<Activity>;
  /** Addresses a user was seen at since a moment: of sessions, and of what they did. */
  addresses(userId: string, sinceMs: number): Promise<string[]>;
  sharesDevice(one: string, other: string): Promise<boolean>;
}
