import { define, oneOf, type Migration } from './migration.ts';

/**
 * Signals of abuse, rewards that wait for review, lists of networks, what was looked up, and used challenges (behaviour
 * 4.6).
 */
export const abuse: Migration = {
  name: '0012_abuse',
  up: (step) =>
    define(step, [
      // `value` is a keyed hash: the table tells nobody's address or device.
      `CREATE TABLE abuse_signals (
        user_id TEXT NOT NULL,
        ${oneOf('kind', ['address', 'network', 'device', 'identity', 'payment', 'ads'])},
        value TEXT NOT NULL,
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        PRIMARY KEY (user_id, kind, value)
      )KEYED`,
      'CREATE INDEX abuse_signals_value ON abuse_signals (kind, value, user_id)',
      'CREATE INDEX abuse_signals_old ON abuse_signals (last_ms)',
      `CREATE TABLE held_rewards (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        ${oneOf('source', ['afk', 'redeem', 'j4r', 'referral', 'link'])},
        amount INTEGER NOT NULL CHECK (amount > 0),
        parts INTEGER NOT NULL CHECK (parts > 0),
        reference TEXT NOT NULL UNIQUE,
        subject TEXT,
        pool TEXT,
        ${oneOf('cause', ['score', 'proof'])},
        score INTEGER NOT NULL CHECK (score >= 0),
        reasons TEXT NOT NULL,
        tx_id TEXT NOT NULL,
        hold_id TEXT NOT NULL UNIQUE,
        ${oneOf('state', ['open', 'released', 'rejected'])},
        release_ms INTEGER,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        decided_ms INTEGER,
        decided_by TEXT,
        note TEXT CHECK (length(note) BETWEEN 1 AND 1000),
        note_ms INTEGER,
        CHECK ((state = 'open') = (decided_ms IS NULL))
      )STRICT`,
      "CREATE UNIQUE INDEX held_rewards_pool ON held_rewards (user_id, pool) WHERE state = 'open' AND pool IS NOT NULL",
      'CREATE INDEX held_rewards_state ON held_rewards (state, created_ms)',
      'CREATE INDEX held_rewards_user ON held_rewards (user_id, created_ms)',
      "CREATE INDEX held_rewards_due ON held_rewards (release_ms) WHERE state = 'open' AND release_ms IS NOT NULL",
      // Ranges of addresses as text, one a line.
      `CREATE TABLE network_lists (
        name TEXT NOT NULL PRIMARY KEY,
        body TEXT NOT NULL,
        ranges INTEGER NOT NULL CHECK (ranges >= 0),
        updated_ms INTEGER NOT NULL
      )KEYED`,
      `CREATE TABLE network_verdicts (
        value TEXT NOT NULL PRIMARY KEY,
        ${oneOf('verdict', ['vpn', 'clean', 'unknown'])},
        until_ms INTEGER NOT NULL
      )KEYED`,
      `CREATE TABLE used_challenges (
        id TEXT NOT NULL PRIMARY KEY,
        until_ms INTEGER NOT NULL
      )KEYED`,
    ]),
};
