import { bit, define, oneOf, type Migration, type Step } from './migration.ts';

/** Gifts, what users show of themselves, and the leaderboard's scores and counts. */
export const community: Migration = {
  name: '0014_community',
  async up(step) {
    await define(step, [...GIFTS, ...PRIVACY, ...LEADERBOARD]);
    // Postings from before are counted while the people are walked through once; from here on each is counted as it
    // comes.
    await step.raw.run(
      `INSERT INTO leaderboard_state (id, tx_id, seq, sweep, swept_ms)
       VALUES (1, COALESCE((SELECT MAX(tx_id) FROM ledger_postings), ''), 1000000000, '', NULL)`,
    );
    await marked(step, 'servers', 'user_id', ['state', 'user_id']);
    await marked(step, 'users', 'id', ['status', 'banned_until_ms']);
    await marked(step, 'referrals', 'referrer_id', ['state', 'referrer_state']);
  },
};

const GIFTS = [
  `CREATE TABLE gifts (
    id TEXT NOT NULL PRIMARY KEY,
    sender_id TEXT NOT NULL,
    recipient_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    note TEXT NOT NULL,
    tx_id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    CHECK (sender_id <> recipient_id)
  )STRICT`,
  `CREATE TABLE gift_days (
    user_id TEXT NOT NULL,
    ${oneOf('side', ['sent', 'received'])},
    day TEXT NOT NULL,
    credits INTEGER NOT NULL CHECK (credits >= 0),
    PRIMARY KEY (user_id, side, day)
  )KEYED`,
];

const PRIVACY = [
  // A row for each user who chose; all others have the defaults (shared/profile.ts). `fields` is a JSON list.
  `CREATE TABLE user_privacy (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    ${bit('leaderboard')},
    ${bit('profile')},
    fields TEXT NOT NULL,
    avatar TEXT NOT NULL,
    background TEXT NOT NULL,
    updated_ms INTEGER NOT NULL
  )KEYED`,
];

const LEADERBOARD = [
  `CREATE TABLE leaderboard_scores (
    board TEXT NOT NULL,
    user_id TEXT NOT NULL,
    score INTEGER NOT NULL CHECK (score > 0),
    ${bit('listed')},
    ${bit('linked')},
    PRIMARY KEY (user_id, board)
  )KEYED`,
  'CREATE INDEX leaderboard_scores_top ON leaderboard_scores (board, score DESC, user_id) WHERE listed = 1',
  // How many listed scores lie under each node of a tree of base four: a rank is a sum of few rows, however many people
  // there are.
  `CREATE TABLE leaderboard_counts (
    board TEXT NOT NULL,
    level INTEGER NOT NULL,
    node INTEGER NOT NULL,
    players INTEGER NOT NULL,
    PRIMARY KEY (board, level, node)
  )KEYED`,
  // Users whose servers, standing or referrals changed since they were counted.
  `CREATE TABLE leaderboard_marks (
    user_id TEXT NOT NULL PRIMARY KEY
  )KEYED`,
  // How far the postings are counted, and where the walk through all users stands.
  `CREATE TABLE leaderboard_state (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    tx_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    sweep TEXT NOT NULL,
    swept_ms INTEGER
  )STRICT`,
];

/** The database itself marks the user of each row that is added or changes in one of the columns. */
async function marked(
  { raw, dialect }: Step,
  table: string,
  column: string,
  columns: readonly string[],
): Promise<void> {
  const events = { added: 'INSERT', changed: `UPDATE OF ${columns.join(', ')}` };
  const mark = `INSERT INTO leaderboard_marks (user_id) VALUES (NEW.${column}) ON CONFLICT DO NOTHING`;
  if (dialect === 'postgres') {
    await raw.run(
      `CREATE FUNCTION ${table}_mark_rank() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${mark}; RETURN NULL; END $$`,
    );
  }
  for (const [name, event] of Object.entries(events)) {
    const body = dialect === 'postgres' ? `EXECUTE FUNCTION ${table}_mark_rank()` : `BEGIN ${mark}; END`;
    await raw.run(`CREATE TRIGGER ${table}_mark_rank_${name} AFTER ${event} ON ${table} FOR EACH ROW ${body}`);
  }
}
