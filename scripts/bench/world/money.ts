import { DAY, MINUTE } from '#shared/time.ts';
import type { WorldDatabase } from './engine.ts';

/** How large a world is. */
export interface WorldSize {
  readonly users: number;
  /** Postings in the ledger; at least one a user. */
  readonly postings: number;
  /** When it ends (UTC ms): now, for the program. */
  readonly nowMs: number;
}

/** How long the world is old. */
export const WORLD_MS = 180 * DAY;
/** Somewhere in the middle nothing happened: an outage. */
const GAP_MS = 2 * DAY;
/** The longest wallet has so many postings, or a tenth of all in a small world. */
const LONGEST = 20_000;
const WELCOME = 500;
const AMOUNTS = { afk: 2, store: 10, redeem: 25 };

/** Identifier of a user by number, as an expression. Number 0 has the longest wallet. */
export const userIdSql = (db: WorldDatabase, number: string): string => `${db.timeId(USER_TIME, number)}`;
/** The time in the identifiers of users and codes (`01990000-0000`). */
const USER_TIME = String(0x0199_0000_0000);
/** Identifier of a user by number. */
export const worldUserId = (number: number): string =>
  `01990000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * The ledger of a world: a welcome for everybody when they come, then AFK rewards by the whole minute (so that many are
 * of one moment), a purchase in ten and a code in twenty; many who came once, few who are there every day, one who is
 * never away. Each posting has the balance of the wallet after it; no wallet is ever below zero. The system accounts'
 * balances after a posting are made up, which nothing reads.
 */
export async function fillMoney(db: WorldDatabase, size: WorldSize): Promise<void> {
  await fillMoves(db, size);
  await db.run(
    "INSERT INTO ledger_transactions (id, kind, reference, created_ms) SELECT id, kind, kind || ':' || i, at FROM moves ORDER BY i",
  );
  await db.run(
    `INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind)
     SELECT id, 0, CASE WHEN signed < 0 THEN wallet ELSE system END, CASE WHEN signed < 0 THEN system ELSE wallet END, ABS(signed),
       CASE WHEN signed < 0 THEN after ELSE -i - 1 END, CASE WHEN signed < 0 THEN i + 1 ELSE after END, at, kind FROM moves ORDER BY i`,
  );
  await db.run(
    `INSERT INTO ledger_balances (account, balance)
     SELECT wallet, SUM(signed) FROM moves GROUP BY wallet UNION ALL SELECT system, -SUM(signed) FROM moves GROUP BY system`,
  );
  await db.run(
    `INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves)
     SELECT ${db.day('at')} AS day, system, kind, SUM(CASE WHEN signed > 0 THEN signed ELSE 0 END), SUM(CASE WHEN signed < 0 THEN -signed ELSE 0 END), 0, 0, COUNT(*)
     FROM moves GROUP BY ${db.day('at')}, system, kind`,
  );
  await db.run(
    `INSERT INTO store_purchases (id, user_id, item_id, kind, units, quantity, price_each, total, tx_id, created_ms)
     SELECT id, substr(wallet, 6), 'item', 'memory', 1, 1024, ${AMOUNTS.store}, ${AMOUNTS.store}, id, at FROM moves WHERE kind = 'store.buy' ORDER BY i`,
  );
  await fillCodes(db);
  const [below] = await db.all<{ wallet: string }>('SELECT wallet FROM moves WHERE after < 0 LIMIT 1');
  if (below) throw new Error(`${below.wallet} would have been below zero`);
}

/** A row a posting, in the order of time, with its balance. */
async function fillMoves(db: WorldDatabase, { users, postings, nowMs }: WorldSize): Promise<void> {
  const begunMs = nowMs - WORLD_MS - GAP_MS;
  const stepMs = WORLD_MS / postings;
  const every = Math.max(10, Math.floor((postings - users) / LONGEST));
  // The product of two numbers that look random favours the small ones, as life does.
  const person = `1 + ((i * 7919) % 999983) * ((i * 104729) % 999983) / 999983 * ${users - 1} / 999983`;
  const turn = '(i * 7919 / 7) % 20';
  const kindOf = (afk: string, store: string, redeem: string) =>
    `CASE WHEN welcome = 1 THEN 'adjustment' WHEN ${turn} < 2 THEN ${store} WHEN ${turn} = 2 THEN ${redeem} ELSE ${afk} END`;
  const amount = `CASE WHEN welcome = 1 THEN ${WELCOME} WHEN ${turn} < 2 THEN ${-AMOUNTS.store} WHEN ${turn} = 2 THEN ${AMOUNTS.redeem} ELSE ${AMOUNTS.afk} END`;
  const micros = Math.max(1, Math.round(stepMs * 1000));
  await db.run(`CREATE TEMPORARY TABLE moves AS
    WITH chosen AS (
      SELECT i, CASE WHEN i < ${users} THEN 1 ELSE 0 END AS welcome,
        CASE WHEN i < ${users} THEN i WHEN i % ${every} = 0 THEN 0 ELSE ${person} END AS person,
        (${begunMs} + i * ${micros} / 1000 + CASE WHEN i * 2 > ${postings} THEN ${GAP_MS} ELSE 0 END) / ${MINUTE} * ${MINUTE} AS at
      FROM ${db.series(postings)}),
    moved AS (SELECT i, person, at, ${amount} AS signed, ${kindOf("'reward.afk'", "'store.buy'", "'reward.redeem'")} AS kind,
      ${kindOf("'system:reward.afk'", "'system:store'", "'system:reward.redeem'").replace("'adjustment'", "'system:adjustment'")} AS system FROM chosen)
    SELECT i, at, signed, kind, system, 'user:' || ${userIdSql(db, 'person')} AS wallet, ${db.timeId('at', 'i')} AS id,
      CAST(SUM(signed) OVER (PARTITION BY person ORDER BY i) AS BIGINT) AS after FROM moved`);
}

/** A hundred codes, each used by whoever came by, and by nobody twice. */
async function fillCodes(db: WorldDatabase): Promise<void> {
  const codeId = (number: string) => db.timeId(USER_TIME, number);
  await db.run(
    `INSERT INTO redeem_codes (id, code, code_key, note, credits, uses_total, uses_count, min_age_days, enabled, created_ms, updated_ms)
     SELECT ${codeId('i')}, 'WORLD-' || i, 'WORLD' || i, '', ${AMOUNTS.redeem}, 0, 0, 0, 1, 1 + i, 1 FROM ${db.series(100)}`,
  );
  await db.run(
    `INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms)
     SELECT MIN(id), ${codeId('(i / 20) % 100')}, substr(wallet, 6), 'WORLD-' || ((i / 20) % 100), ${AMOUNTS.redeem}, MIN(id), MIN(at)
     FROM moves WHERE kind = 'reward.redeem' GROUP BY (i / 20) % 100, wallet`,
  );
  await db.run(
    'UPDATE redeem_codes SET uses_count = (SELECT COUNT(*) FROM redeem_uses u WHERE u.code_id = redeem_codes.id)',
  );
}
