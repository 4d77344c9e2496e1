import { DAY, MINUTE } from '#shared/time.ts';
import type { WorldDatabase } from './engine.ts';

/** How large a world is. */
export interface WorldSize {
  readonly users: number;
  /** Postings in the ledger; at least one a user. */
  readonly postings: number;
  /** When it ends (UTC ms): now, for the program. */
  readonly nowMs: number;
  /** Tables that stay empty, because nothing that is asked reads them. */
  readonly without?: ReadonlySet<string>;
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

/** The kinds of movements by their number in `moves`, with the account at the other end. */
const KINDS = [
  { kind: 'reward.afk', system: 'system:reward.afk', amount: AMOUNTS.afk },
  { kind: 'store.buy', system: 'system:store', amount: -AMOUNTS.store },
  { kind: 'reward.redeem', system: 'system:reward.redeem', amount: AMOUNTS.redeem },
  { kind: 'adjustment', system: 'system:adjustment', amount: WELCOME },
] as const;
const [AFK, STORE, REDEEM, ADJUSTED] = [0, 1, 2, 3];
/** What a kind of movement has, as an expression. */
const ofKind = (what: keyof (typeof KINDS)[number]): string => {
  const valueOf = (row: (typeof KINDS)[number]) => (what === 'amount' ? String(row.amount) : `'${row[what]}'`);
  return `CASE what ${KINDS.map((row, at) => `WHEN ${at} THEN ${valueOf(row)}`).join(' ')} END`;
};

/**
 * The ledger of a world: a welcome for everybody when they come, then AFK rewards by the whole minute (so that many are
 * of one moment), a purchase in ten and a code in twenty; many who came once, few who are there every day, one who is
 * never away. Each posting has the balance of the wallet after it; no wallet is ever below zero. The system accounts'
 * balances after a posting are made up, which nothing reads.
 */
export async function fillMoney(db: WorldDatabase, size: WorldSize): Promise<void> {
  await fillMoves(db, size);
  const [id, user] = [db.timeId('at', 'i'), userIdSql(db, 'person')];
  const wallet = `'user:' || ${user}`;
  const [kind, system] = [ofKind('kind'), ofKind('system')];
  await db.run(
    `INSERT INTO ledger_transactions (id, kind, reference, created_ms)
     SELECT ${id}, ${kind}, ${kind} || ':' || i, at FROM moves`,
  );
  await db.run(
    `INSERT INTO ledger_postings
       (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind)
     SELECT ${id}, 0,
       CASE WHEN signed < 0 THEN ${wallet} ELSE ${system} END,
       CASE WHEN signed < 0 THEN ${system} ELSE ${wallet} END,
       ABS(signed),
       CASE WHEN signed < 0 THEN after ELSE -i - 1 END,
       CASE WHEN signed < 0 THEN i + 1 ELSE after END,
       at, ${kind} FROM moves`,
  );
  await db.run(
    `INSERT INTO ledger_balances (account, balance)
     SELECT ${wallet}, balance FROM (SELECT person, SUM(signed) AS balance FROM moves GROUP BY person) AS own
     UNION ALL
     SELECT ${system}, balance FROM (SELECT what, -SUM(signed) AS balance FROM moves GROUP BY what) AS others`,
  );
  await db.run(
    `INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves)
     SELECT day, ${system}, ${kind}, minted, burnt, 0, 0, moves FROM (
       SELECT ${db.day('at')} AS day, what,
         SUM(CASE WHEN signed > 0 THEN signed ELSE 0 END) AS minted,
         SUM(CASE WHEN signed < 0 THEN -signed ELSE 0 END) AS burnt,
         COUNT(*) AS moves
       FROM moves GROUP BY ${db.day('at')}, what) AS days`,
  );
  await db.run(
    `INSERT INTO store_purchases (id, user_id, item_id, kind, units, quantity, price_each, total, tx_id, created_ms)
     SELECT ${id}, ${user}, 'item', 'memory', 1, 1024, ${AMOUNTS.store}, ${AMOUNTS.store}, ${id}, at
     FROM moves WHERE what = ${STORE}`,
  );
  await fillCodes(db);
  const [below] = await db.all<{ person: number }>('SELECT person FROM moves WHERE after < 0 LIMIT 1');
  if (below) throw new Error(`the wallet of ${worldUserId(Number(below.person))} would have been below zero`);
}

/**
 * A row a posting, in the order of time, with its balance: numbers alone, from which texts are made where they are
 * needed, because millions are sorted.
 */
async function fillMoves(db: WorldDatabase, { users, postings, nowMs }: WorldSize): Promise<void> {
  const begunMs = nowMs - WORLD_MS - GAP_MS;
  const stepMs = WORLD_MS / postings;
  const every = Math.max(10, Math.floor((postings - users) / LONGEST));
  // The product of two numbers that look random favours the small ones, as life does.
  const person = `1 + ((i * 7919) % 999983) * ((i * 104729) % 999983) / 999983 * ${users - 1} / 999983`;
  const turn = '(i * 7919 / 7) % 20';
  const micros = Math.max(1, Math.round(stepMs * 1000));
  await db.run(`CREATE TEMPORARY TABLE moves AS
    WITH chosen AS (
      SELECT i, CASE WHEN i < ${users} THEN i WHEN i % ${every} = 0 THEN 0 ELSE ${person} END AS person,
        CASE WHEN i < ${users} THEN ${ADJUSTED} WHEN ${turn} < 2 THEN ${STORE}
          WHEN ${turn} = 2 THEN ${REDEEM} ELSE ${AFK} END AS what,
        (${begunMs} + i * ${micros} / 1000 + CASE WHEN i * 2 > ${postings} THEN ${GAP_MS} ELSE 0 END)
          / ${MINUTE} * ${MINUTE} AS at
      FROM ${db.series(postings)}),
    moved AS (SELECT i, person, what, at, ${ofKind('amount')} AS signed FROM chosen)
    SELECT i, person, what, at, signed,
      CAST(SUM(signed) OVER (PARTITION BY person ORDER BY i) AS BIGINT) AS after FROM moved ORDER BY i`);
}

/** A hundred codes, each used by whoever came by, and by nobody twice. */
async function fillCodes(db: WorldDatabase): Promise<void> {
  const codeId = (number: string) => db.timeId(USER_TIME, number);
  const id = db.timeId('at', 'i');
  await db.run(
    `INSERT INTO redeem_codes
       (id, code, code_key, note, credits, uses_total, uses_count, min_age_days, enabled, created_ms, updated_ms)
     SELECT ${codeId('i')}, 'WORLD-' || i, 'WORLD' || i, '', ${AMOUNTS.redeem}, 0, 0, 0, 1, 1 + i, 1
     FROM ${db.series(100)}`,
  );
  await db.run(
    `INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms)
     SELECT ${id}, ${codeId('code')}, ${userIdSql(db, 'person')}, 'WORLD-' || code, ${AMOUNTS.redeem}, ${id}, at
     FROM (SELECT MIN(i) AS i, MIN(at) AS at, (i / 20) % 100 AS code, person
       FROM moves WHERE what = ${REDEEM} GROUP BY (i / 20) % 100, person) AS uses`,
  );
  await db.run(
    'UPDATE redeem_codes SET uses_count = (SELECT COUNT(*) FROM redeem_uses u WHERE u.code_id = redeem_codes.id)',
  );
}
