import type { Generated } from 'kysely';
import type { Ms } from './values.ts';

export interface LedgerTransactions {
  id: string;
  kind: string;
  reference: string;
  subject: string | null;
  actor: string | null;
  reason: string | null;
  reverses: string | null;
  created_ms: Ms;
}

export interface LedgerPostings {
  tx_id: string;
  seq: number;
  source: string;
  destination: string;
  amount: number;
  source_after: number;
  destination_after: number;
  created_ms: Ms;
  kind: string;
}

export interface LedgerBalances {
  account: string;
  balance: number;
  frozen_ms: Ms | null;
  /** 0 but for system accounts, whose balance is that of all their rows together. */
  shard: Generated<number>;
}

/** What a wallet has earned that is not posted yet. */
export interface LedgerAccruals {
  account: string;
  source: string;
  kind: string;
  reference: string;
  amount: number;
  day: string;
  started_ms: Ms;
  due_ms: Ms;
}

/** What the last proof found. */
export interface LedgerFaults {
  id: string;
  proof: string;
  account: string | null;
  row_id: string | null;
  stored: number | null;
  expected: number | null;
  first_ms: Ms;
  seen_ms: Ms;
}

export interface LedgerHolds {
  id: string;
  account: string;
  amount: number;
  reference: string;
  state: 'open' | 'captured' | 'released';
  created_ms: Ms;
  closed_ms: Ms | null;
}

export interface LedgerDays {
  day: string;
  account: string;
  kind: string;
  minted: number;
  burnt: number;
  moved: number;
  other: number;
  moves: number;
  shard: Generated<number>;
}

/** The archive's one row: how far it is. */
export interface LedgerArchive {
  id: number;
  moving: number;
  pass_ms: Ms;
  after: string;
  done_ms: Ms;
  blocks: number;
  transactions: number;
}

/** Old transactions of a user, up to a number of them as one row. */
export interface LedgerBlocks {
  id: number;
  user_id: string;
  number: number;
  first_ms: Ms;
  last_ms: Ms;
  last_id: string;
  transactions: number;
  credits: number;
  balance: number;
  detail: string;
  hash: string;
}

export interface LedgerArchivedReferences {
  key: string;
  block: number;
}

/** What all archived postings of an account come to. */
export interface LedgerArchivedSums {
  account: string;
  credits: number;
}

export interface LedgerTables {
  ledger_transactions: LedgerTransactions;
  ledger_postings: LedgerPostings;
  ledger_balances: LedgerBalances;
  ledger_accruals: LedgerAccruals;
  ledger_holds: LedgerHolds;
  ledger_faults: LedgerFaults;
  ledger_days: LedgerDays;
  ledger_archive: LedgerArchive;
  ledger_blocks: LedgerBlocks;
  ledger_archived_references: LedgerArchivedReferences;
  ledger_archived_sums: LedgerArchivedSums;
}
