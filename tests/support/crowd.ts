import { Database } from 'bun:sqlite';

export interface Crowd {
  readonly users: number;
  /** Movements in the wallets of `BUSY` of them; all others have one. */
  readonly movements: number;
}

/** Users with many movements, spread evenly over the crowd. */
const BUSY = 500;

/** Identifier of the user with a number, from 0. */
export const crowdId = (number: number): string => `01990000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** Scores of each board: some thousand different ones, most people in the lower part, as they are in life. */
const SCORES: Readonly<Record<string, string>> = {
  credits: '1 + (i * 7919) % 40000 + CASE WHEN i % 997 = 0 THEN i % 900000 ELSE 0 END',
  afk: '1 + (i * 104729) % 200000',
};
const TABLES = [
  'users',
  'ledger_transactions',
  'ledger_postings',
  'ledger_balances',
  'leaderboard_scores',
  'leaderboard_counts',
];

/**
 * Fills a SQLite file that has all tables with a crowd: users, wallets with movements, and the leaderboard as it has
 * counted them. Written in SQL, because a million people one by one would take minutes. The program must not have the
 * file open.
 */
export function fillCrowd(path: string, { users, movements }: Crowd): void {
  const db = new Database(path);
  db.run('PRAGMA synchronous=OFF');
  db.run('PRAGMA cache_size=-200000');
  const role = db.query<{ id: string }, []>('SELECT id FROM roles WHERE is_default = 1').get()?.id;
  if (!role) throw new Error('the roles are missing');
  const restore = withoutIndexes(db);
  fillUsers(db, users, role);
  fillWallets(db, { users, movements });
  fillBoards(db, users);
  restore();
  db.run('PRAGMA optimize');
  db.close();
}

/** Takes the indexes away, which are faster made at the end. Out: makes them again. */
function withoutIndexes(db: Database): () => void {
  const list = TABLES.map((name) => `'${name}'`).join(', ');
  const indexes = db
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${list})`,
    )
    .all();
  const triggers = db
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN (${list})`,
    )
    .all();
  for (const { name } of indexes) db.run(`DROP INDEX ${name}`);
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`);
  return () => {
    for (const { sql } of [...indexes, ...triggers]) db.run(sql);
  };
}

const each = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})`;
const idOf = (prefix: string, number: string) => `printf('${prefix}-0000-7000-8000-%012x', ${number})`;

function fillUsers(db: Database, users: number, role: string): void {
  db.run(
    `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, factor, spent, seen_ms, terms_ms, password_version, created_ms, updated_ms)
     ${each(users)} SELECT ${idOf('01990000', 'i')}, printf('crowd%07d', i), printf('crowd%07d', i), printf('c%07d@x.test', i), printf('c%07d@x.test', i),
       '-', 'A', 'B', ?, 'en', 'active', 0, 0, 0, 1, 1, 1, 1 FROM n`,
    [role],
  );
}

/** One movement for everybody, and the rest for the busy ones. */
function fillWallets(db: Database, { users, movements }: Crowd): void {
  const parts = [
    { prefix: '01980000', count: users, user: 'i', nth: '1' },
    {
      prefix: '01981000',
      count: BUSY * (movements - 1),
      user: `(i % ${BUSY}) * ${Math.floor(users / BUSY)}`,
      nth: `2 + i / ${BUSY}`,
    },
  ];
  for (const { prefix, count, user, nth } of parts.filter(({ count }) => count > 0)) {
    db.run(
      `INSERT INTO ledger_transactions (id, kind, reference, created_ms) ${each(count)} SELECT ${idOf(prefix, 'i')}, 'reward.afk', printf('${prefix}:%09d', i), 1000 + i FROM n`,
    );
    db.run(
      `INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind)
       ${each(count)} SELECT ${idOf(prefix, 'i')}, 0, 'system:reward.afk', 'user:' || ${idOf('01990000', user)}, 1, -i - 1, ${nth}, 1000 + i, 'reward.afk' FROM n`,
    );
  }
  db.run(
    `INSERT INTO ledger_balances (account, balance) ${each(users)} SELECT 'user:' || ${idOf('01990000', 'i')}, 1 FROM n`,
  );
  db.run(
    `UPDATE ledger_balances SET balance = ${movements} WHERE account IN (${each(BUSY)} SELECT 'user:' || ${idOf('01990000', `i * ${Math.floor(users / BUSY)}`)} FROM n)`,
  );
}

/** The boards with their trees, and no posting left to be counted. */
function fillBoards(db: Database, users: number): void {
  const boards = Object.entries(SCORES).map(
    ([board, score]) => `SELECT '${board}', ${idOf('01990000', 'i')}, ${score}, 1, 1 FROM n`,
  );
  for (const board of boards)
    db.run(`INSERT INTO leaderboard_scores (board, user_id, score, listed, linked) ${each(users)} ${board}`);
  db.run(
    'INSERT INTO leaderboard_counts (board, level, node, players) SELECT board, 0, score, COUNT(*) FROM leaderboard_scores GROUP BY board, score',
  );
  for (let level = 1; level < 20; level += 1) {
    db.run(
      `INSERT INTO leaderboard_counts (board, level, node, players)
       SELECT board, ${level}, node / 4, SUM(players) FROM leaderboard_counts WHERE level = ${level - 1} GROUP BY board, node / 4`,
    );
  }
  db.run("UPDATE leaderboard_state SET tx_id = '02', seq = 0, swept_ms = 1, sweep = '02'");
  db.run('DELETE FROM leaderboard_marks');
}
