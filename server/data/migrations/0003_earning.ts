import { bit, define, type Migration } from './migration.ts';

/** Redeem codes, AFK sessions, counters of what was earned, the store. */
export const earning: Migration = {
  name: '0003_earning',
  up: (step) => define(step, [...REDEEM, ...AFK, ...STORE]),
};

const REDEEM = [
  `CREATE TABLE redeem_codes (
    id TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL,
    code_key TEXT NOT NULL UNIQUE,
    note TEXT NOT NULL,
    credits INTEGER NOT NULL CHECK (credits > 0),
    uses_total INTEGER NOT NULL CHECK (uses_total >= 0),
    uses_count INTEGER NOT NULL CHECK (uses_count >= 0),
    min_age_days INTEGER NOT NULL CHECK (min_age_days >= 0),
    starts_ms INTEGER,
    ends_ms INTEGER,
    ${bit('enabled')},
    created_by TEXT,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX redeem_codes_created ON redeem_codes (created_ms)',
  `CREATE TABLE redeem_uses (
    id TEXT NOT NULL PRIMARY KEY,
    code_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    code TEXT NOT NULL,
    credits INTEGER NOT NULL CHECK (credits > 0),
    tx_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX redeem_uses_once ON redeem_uses (code_id, user_id)',
  'CREATE INDEX redeem_uses_user ON redeem_uses (user_id, at_ms)',
];

const AFK = [
  `CREATE TABLE afk_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    device TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    last_beat_ms INTEGER NOT NULL,
    counted_ms INTEGER NOT NULL CHECK (counted_ms >= 0),
    minutes INTEGER NOT NULL CHECK (minutes >= 0),
    earned INTEGER NOT NULL CHECK (earned >= 0),
    challenge TEXT,
    challenge_ms INTEGER,
    ended_ms INTEGER,
    end_reason TEXT,
    taken_by TEXT
  )STRICT`,
  'CREATE UNIQUE INDEX afk_sessions_one_open ON afk_sessions (user_id) WHERE ended_ms IS NULL',
  'CREATE INDEX afk_sessions_user ON afk_sessions (user_id, started_ms)',
  'CREATE INDEX afk_sessions_open ON afk_sessions (last_beat_ms) WHERE ended_ms IS NULL',
  `CREATE TABLE earn_counters (
    user_id TEXT NOT NULL,
    source TEXT NOT NULL,
    day TEXT NOT NULL,
    credits INTEGER NOT NULL CHECK (credits >= 0),
    PRIMARY KEY (user_id, source, day)
  )KEYED`,
];

const STORE = [
  `CREATE TABLE store_items (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups')),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    price INTEGER NOT NULL CHECK (price > 0),
    limit_total INTEGER NOT NULL CHECK (limit_total >= 0),
    position INTEGER NOT NULL,
    ${bit('visible')},
    ${bit('vip_only')},
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  `CREATE TABLE store_purchases (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    units INTEGER NOT NULL CHECK (units > 0),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    price_each INTEGER NOT NULL CHECK (price_each > 0),
    total INTEGER NOT NULL CHECK (total > 0),
    tx_id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    refunded_ms INTEGER,
    refund_tx_id TEXT,
    CHECK ((refunded_ms IS NULL) = (refund_tx_id IS NULL))
  )STRICT`,
  'CREATE INDEX store_purchases_user ON store_purchases (user_id, created_ms)',
];
