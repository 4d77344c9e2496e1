import { define, oneOf, type Migration } from './migration.ts';

/** Referral codes, and who brought whom (behaviour 4.4). */
export const referrals: Migration = {
  name: '0010_referrals',
  up: (step) => define(step, TABLES),
};

const PART = ['open', 'paid', 'held', 'refused', 'none'];

const TABLES = [
  `CREATE TABLE referral_codes (
    user_id TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL
  )KEYED`,
  // Who came by whom: once in the life of an account, so the newcomer is the key. Both rewards are kept apart, each is
  // paid once.
  `CREATE TABLE referrals (
    newcomer_id TEXT NOT NULL PRIMARY KEY,
    referrer_id TEXT NOT NULL CHECK (referrer_id <> newcomer_id),
    code TEXT NOT NULL,
    ${oneOf('state', ['pending', 'qualified', 'done', 'rejected'])},
    reason TEXT,
    network TEXT,
    created_ms INTEGER NOT NULL,
    next_check_ms INTEGER NOT NULL,
    qualified_ms INTEGER,
    closed_ms INTEGER,
    ${oneOf('newcomer_state', PART)},
    newcomer_credits INTEGER NOT NULL CHECK (newcomer_credits >= 0),
    newcomer_tx TEXT UNIQUE,
    ${oneOf('referrer_state', PART)},
    referrer_credits INTEGER NOT NULL CHECK (referrer_credits >= 0),
    referrer_tx TEXT UNIQUE,
    referrer_ms INTEGER
  )STRICT`,
  'CREATE INDEX referrals_referrer ON referrals (referrer_id, created_ms)',
  'CREATE INDEX referrals_rewarded ON referrals (referrer_id, referrer_ms) WHERE referrer_ms IS NOT NULL',
  "CREATE INDEX referrals_due ON referrals (next_check_ms) WHERE state IN ('pending', 'qualified')",
];
