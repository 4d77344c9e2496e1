import type { Ms } from './values.ts';

/** Abuse (behaviour 4.6): `value` is a keyed hash. */
export interface AbuseSignals {
  user_id: string;
  kind: string;
  value: string;
  first_ms: Ms;
  last_ms: Ms;
}

export interface HeldRewards {
  id: string;
  user_id: string;
  source: string;
  amount: number;
  parts: number;
  reference: string;
  subject: string | null;
  pool: string | null;
  cause: string;
  score: number;
  reasons: string;
  tx_id: string;
  hold_id: string;
  state: string;
  release_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
  decided_ms: Ms | null;
  decided_by: string | null;
  note: string | null;
  note_ms: Ms | null;
  counted_day: string | null;
  counted: number;
}

export interface NetworkLists {
  name: string;
  body: string;
  ranges: number;
  updated_ms: Ms;
}

export interface NetworkVerdicts {
  value: string;
  verdict: string;
  until_ms: Ms;
}

export interface UsedChallenges {
  id: string;
  until_ms: Ms;
}

export interface AbuseTables {
  abuse_signals: AbuseSignals;
  held_rewards: HeldRewards;
  network_lists: NetworkLists;
  network_verdicts: NetworkVerdicts;
  used_challenges: UsedChallenges;
}
