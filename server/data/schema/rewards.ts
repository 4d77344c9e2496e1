import type { Generated } from 'kysely';
import type { Bit, Ms } from './values.ts';

export interface RedeemUses {
  id: string;
  code_id: string;
  user_id: string;
  code: string;
  credits: number;
  tx_id: string;
  at_ms: Ms;
}

export interface AfkSessions {
  id: string;
  user_id: string;
  session_id: string;
  device: string;
  started_ms: Ms;
  last_beat_ms: Ms;
  counted_ms: number;
  minutes: number;
  earned: number;
  challenge: string | null;
  challenge_ms: Ms | null;
  ended_ms: Ms | null;
  end_reason: string | null;
  taken_by: string | null;
}

/** Credits earned by a user from a source on a day; user_id '*' is the whole installation. */
export interface EarnCounters {
  user_id: string;
  source: string;
  day: string;
  credits: number;
  /** 0 but for everybody, whose sum is that of all rows together. */
  shard: Generated<number>;
}

export interface ReferralCodes {
  user_id: string;
  code: string;
  created_ms: Ms;
}

type ReferralPart = 'open' | 'paid' | 'held' | 'refused' | 'none';

/** Who came by whom; the newcomer's and the referrer's reward apart (behaviour 4.4). */
export interface Referrals {
  newcomer_id: string;
  referrer_id: string;
  code: string;
  state: 'pending' | 'qualified' | 'done' | 'rejected';
  reason: string | null;
  network: string | null;
  created_ms: Ms;
  next_check_ms: Ms;
  qualified_ms: Ms | null;
  closed_ms: Ms | null;
  newcomer_state: ReferralPart;
  newcomer_credits: number;
  newcomer_tx: string | null;
  referrer_state: ReferralPart;
  referrer_credits: number;
  referrer_tx: string | null;
  referrer_ms: Ms | null;
}

export interface EarlySupporters {
  user_id: string;
  state: 'pending' | 'qualified' | 'paid' | 'held' | 'refused';
  reason: string | null;
  credits: number;
  tx_id: string | null;
  created_ms: Ms;
  next_check_ms: Ms;
  qualified_ms: Ms | null;
}

interface EarlySupporterPlaces {
  id: number;
  taken: number;
  walked_id: string;
}

export interface LinkClaims {
  id: string;
  user_id: string;
  provider: string;
  token_hash: string;
  token_sealed: string | null;
  link_sealed: string | null;
  credits: number;
  state: 'open' | 'paid' | 'held' | 'expired' | 'rejected';
  session_id: string;
  network: string | null;
  started_ms: Ms;
  ready_ms: Ms;
  expires_ms: Ms;
  checking_ms: Ms | null;
  answer: string | null;
  tx_id: string | null;
  closed_ms: Ms | null;
}

export interface LinkProofs {
  provider: string;
  proof_hash: string;
  claim_id: string;
  at_ms: Ms;
}

/** Which Discord identity was paid for which Discord server, for good. */
export interface J4rClaims {
  id: string;
  guild_id: string;
  subject: string;
  server_id: string;
  user_id: string;
  name: string;
  credits: number;
  reference: string;
  tx_id: string;
  state: string;
  held: Bit;
  joined_ms: Ms;
  evidence: string;
  claimed_ms: Ms;
  vests_ms: Ms;
  check_ms: Ms | null;
  unlinked_ms: Ms | null;
  ended_ms: Ms | null;
  taken: number;
  taken_tx_id: string | null;
}

export interface StorePurchases {
  id: string;
  user_id: string;
  item_id: string;
  kind: string;
  units: number;
  quantity: number;
  price_each: number;
  total: number;
  tx_id: string;
  created_ms: Ms;
  refunded_ms: Ms | null;
  refund_tx_id: string | null;
}

/** Gifts, and what a user sent and received a day (behaviour 5.4). */
export interface Gifts {
  id: string;
  sender_id: string;
  recipient_id: string;
  amount: number;
  fee: number;
  note: string;
  tx_id: string;
  created_ms: Ms;
}

export interface GiftDays {
  user_id: string;
  side: 'sent' | 'received';
  day: string;
  credits: number;
}

/**
 * The leaderboard (behaviour 7.1): scores, how many there are under each node of a tree, users to count anew, how far
 * things are counted.
 */
export interface LeaderboardScores {
  board: string;
  user_id: string;
  score: number;
  listed: Bit;
  linked: Bit;
}

export interface LeaderboardCounts {
  board: string;
  level: number;
  node: number;
  players: number;
}

export interface LeaderboardMarks {
  user_id: string;
}

export interface LeaderboardState {
  id: number;
  tx_id: string;
  seq: number;
  sweep: string;
  swept_ms: Ms | null;
}

export interface RewardsTables {
  redeem_uses: RedeemUses;
  afk_sessions: AfkSessions;
  earn_counters: EarnCounters;
  referral_codes: ReferralCodes;
  referrals: Referrals;
  early_supporters: EarlySupporters;
  early_supporter_places: EarlySupporterPlaces;
  link_claims: LinkClaims;
  link_proofs: LinkProofs;
  gifts: Gifts;
  gift_days: GiftDays;
  leaderboard_scores: LeaderboardScores;
  leaderboard_counts: LeaderboardCounts;
  leaderboard_marks: LeaderboardMarks;
  leaderboard_state: LeaderboardState;
  j4r_claims: J4rClaims;
  store_purchases: StorePurchases;
}
