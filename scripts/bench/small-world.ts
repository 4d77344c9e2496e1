import { Database } from 'bun:sqlite';
import { DAY } from '#shared/time.ts';

/** A host after some months: how many people, movements, and lines of the longest wallet. */
export const USERS = 100_000;
export const MOVEMENTS = 1_000_000;
export const LONGEST = 20_000;
const DAYS = 120;

/** Identifier of a user with a number from 0; number 0 has the longest wallet. */
export const userId = (number: number): string => `01990000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const USER_ID = (number: string) => `printf('01990000-0000-7000-8000-%012x', ${number})`;
const TABLES = "'users', 'ledger_transactions', 'ledger_postings', 'ledger_balances', 'ledger_days'";

/**
 * Fills a SQLite file that has all tables with the months of a small host, in SQL because one by one it would take an
 * hour: a welcome for everybody, then AFK rewards and a purchase in ten, by few who are there every day and many who
 * came once, and one who is never away. The ledger's proof holds. The program must not have the file open.
 */
export function fillSmallWorld(path: string, nowMs: number): void {
  const db = new Database(path);
  db.run('PRAGMA synchronous=OFF');
  db.run('PRAGMA cache_size=-400000');
  db.run('PRAGMA foreign_keys=OFF');
  const role = db.query<{ id: string }, []>('SELECT id FROM roles WHERE is_default = 1').get()?.id;
  if (!role) throw new Error('the roles are missing');
  const restore = withoutIndexes(db);
  const begunMs = nowMs - DAYS * DAY;
  const stepMs = Math.floor((DAYS * DAY) / MOVEMENTS);
  db.run(
    `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
     ${count(USERS)} SELECT ${USER_ID('i')}, printf('player%06d', i), printf('player%06d', i), printf('p%06d@x.test', i), printf('p%06d@x.test', i),
       '-', 'A', 'B', ?, 'en', CASE WHEN i % 200 = 7 THEN 'banned' ELSE 'active' END, 1, 1, ? + i * 1000, 1 FROM n`,
    [role, begunMs],
  );
  // The product of two numbers that look random favours the small ones, as life does.
  db.run(
    `CREATE TEMP TABLE moves AS ${count(MOVEMENTS)}, chosen AS (
       SELECT i, ${begunMs} + i * ${stepMs} AS at, i >= ${USERS} AND i % 10 = 9 AS bought,
         CASE WHEN i < ${USERS} THEN i WHEN i % ${Math.floor((MOVEMENTS - USERS) / LONGEST)} = 0 THEN 0
           ELSE 1 + ((i * 7919) % 99991) * ((i * 104729) % 99991) / 99991 % ${USERS - 1} END AS person FROM n)
     SELECT i, at, printf('%08x-%04x-7000-8000-%012x', at >> 16, at & 65535, i) AS id, 'user:' || ${USER_ID('person')} AS wallet, bought,
       CASE WHEN i < ${USERS} THEN 'adjustment' WHEN bought THEN 'store.buy' ELSE 'reward.afk' END AS kind,
       CASE WHEN i < ${USERS} THEN 'system:adjustment' WHEN bought THEN 'system:store' ELSE 'system:reward.afk' END AS system,
       CASE WHEN i < ${USERS} THEN 5000 WHEN bought THEN 1 ELSE 2 END AS amount FROM chosen`,
  );
  db.run(
    "INSERT INTO ledger_transactions (id, kind, reference, created_ms) SELECT id, kind, kind || ':' || i, at FROM moves",
  );
  db.run(
    `INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind)
     SELECT id, 0, CASE WHEN bought THEN wallet ELSE system END, CASE WHEN bought THEN system ELSE wallet END, amount, 0, 0, at, kind FROM moves`,
  );
  db.run(
    `INSERT INTO ledger_balances (account, balance) SELECT account, SUM(amount) FROM (
       SELECT wallet AS account, CASE WHEN bought THEN -amount ELSE amount END AS amount FROM moves
       UNION ALL SELECT system, CASE WHEN bought THEN amount ELSE -amount END FROM moves) GROUP BY account`,
  );
  db.run(
    `INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves)
     SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch') AS day, system, kind, SUM(CASE WHEN bought THEN 0 ELSE amount END), SUM(CASE WHEN bought THEN amount ELSE 0 END), 0, 0, COUNT(*)
     FROM moves GROUP BY day, system, kind`,
  );
  db.run('DROP TABLE moves');
  restore();
  db.close();
}

const count = (most: number) => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${most})`;

/** Takes indexes and triggers away: they are made faster at the end. Out: makes them again. */
function withoutIndexes(db: Database): () => void {
  const made = db
    .query<{ name: string; type: string; sql: string }, []>(
      `SELECT name, type, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN (${TABLES}) ORDER BY type`,
    )
    .all();
  for (const { name, type } of made) db.run(`DROP ${type} ${name}`);
  return () => {
    for (const { sql } of made) db.run(sql);
  };
}
