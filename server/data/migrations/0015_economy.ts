import { dayIn, MINUTE } from '#shared/time.ts';
import { define, type Migration, type Step } from './migration.ts';

/**
 * Sums of the ledger by day, account and kind, so that no page ever adds up postings. What moves between a system
 * account (or the debts) and wallets is minted or burnt; `moved` went from one user to another, under the account
 * `users`; `other` is what an account outside the wallets got from another such account, less what it gave.
 */
export const economy: Migration = {
  name: '0015_economy',
  async up(step) {
    await define(step, [
      `CREATE TABLE ledger_days (
        day TEXT NOT NULL,
        account TEXT NOT NULL,
        kind TEXT NOT NULL,
        minted INTEGER NOT NULL CHECK (minted >= 0),
        burnt INTEGER NOT NULL CHECK (burnt >= 0),
        moved INTEGER NOT NULL CHECK (moved >= 0),
        other INTEGER NOT NULL,
        moves INTEGER NOT NULL CHECK (moves > 0),
        PRIMARY KEY (day, account, kind)
      )KEYED`,
      // Orders and filters of the staff's list of users (behaviour 1: an index behind each).
      'CREATE INDEX users_status ON users (status, created_ms)',
      'CREATE INDEX ledger_balances_wealth ON ledger_balances (balance, account)',
      // Top earners for staff: the leaderboard's own index leaves out who hides.
      'CREATE INDEX leaderboard_scores_hidden ON leaderboard_scores (board, score DESC, user_id) WHERE listed = 0',
      'CREATE INDEX store_items_position ON store_items (position, id)',
      // What staff call an item by.
      "ALTER TABLE store_items ADD COLUMN name TEXT NOT NULL DEFAULT ''",
      "UPDATE store_items SET name = kind || ' ' || quantity || CASE WHEN EXISTS (SELECT 1 FROM store_items o WHERE o.kind = store_items.kind AND o.quantity = store_items.quantity AND o.id < store_items.id) THEN ' ' || id ELSE '' END",
      'CREATE UNIQUE INDEX store_items_name ON store_items (name)',
      // Everybody has a wallet, so that a list by credits has everybody.
      "INSERT INTO ledger_balances (account, balance) SELECT 'user:' || id, 0 FROM users WHERE 1 = 1 ON CONFLICT (account) DO NOTHING",
    ]);
    await fillDays(step);
  },
};

/** Zones are off by whole quarter hours, so what happened within one belongs to one day everywhere. */
const SLOT = 15 * MINUTE;
const OUTSIDE = (side: string) =>
  `CASE WHEN substr(${side}, 1, 7) = 'system:' THEN ${side} WHEN substr(${side}, 1, 5) = 'debt:' THEN 'debt' ELSE '' END`;

interface Slot {
  slot: number;
  kind: string;
  source: string;
  destination: string;
  /** Between a user's own wallet and reserve. */
  own: number;
  amount: number;
  moves: number;
}
type Sums = Record<'minted' | 'burnt' | 'moved' | 'other' | 'moves', number>;

/** The days before this table was, from the postings; by the time zone that is set now. */
async function fillDays({ raw }: Step): Promise<void> {
  const stored = await raw.one<{ value: string }>("SELECT value FROM settings WHERE key = 'app_timezone'");
  const zone = stored ? String(JSON.parse(stored.value)) : 'UTC';
  const slots = await raw.all<Slot>(
    `SELECT slot, kind, source, destination, own, CAST(SUM(amount) AS BIGINT) AS amount, COUNT(*) AS moves FROM (
       SELECT created_ms / ${SLOT} AS slot, kind, ${OUTSIDE('source')} AS source, ${OUTSIDE('destination')} AS destination,
         CASE WHEN substr(source, 6) = substr(destination, 6) THEN 1 ELSE 0 END AS own, amount FROM ledger_postings
     ) AS sides GROUP BY slot, kind, source, destination, own`,
  );
  const days = new Map<string, Sums>();
  for (const entry of slots) {
    const day = dayIn(entry.slot * SLOT, zone);
    for (const [account, sums] of sidesOf(entry))
      add(days, [day, account, entry.kind].join('\n'), { ...NONE, ...sums, moves: entry.moves });
  }
  for (const [key, { minted, burnt, moved, other, moves }] of days) {
    const [day = '', account = '', kind = ''] = key.split('\n');
    await raw.run(
      'INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [day, account, kind, minted, burnt, moved, other, moves],
    );
  }
}

const NONE: Sums = { minted: 0, burnt: 0, moved: 0, other: 0, moves: 0 };

function sidesOf({ source, destination, own, amount }: Slot): [string, Partial<Sums>][] {
  if (source === '' && destination === '') return own === 1 ? [] : [['users', { moved: amount }]];
  if (destination === '') return [[source, { minted: amount }]];
  if (source === '') return [[destination, { burnt: amount }]];
  return source === destination
    ? []
    : [
        [source, { other: -amount }],
        [destination, { other: amount }],
      ];
}

function add(days: Map<string, Sums>, key: string, more: Sums): void {
  const sums = days.get(key) ?? NONE;
  days.set(key, {
    minted: sums.minted + more.minted,
    burnt: sums.burnt + more.burnt,
    moved: sums.moved + more.moved,
    other: sums.other + more.other,
    moves: sums.moves + more.moves,
  });
}
