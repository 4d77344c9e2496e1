import { openWorldDatabase, type WorldDatabase } from './engine.ts';
import { fillMoney, type WorldSize } from './money.ts';
import { addRows, habitRows, peopleRows, wordsOf } from './rows.ts';
import { announcementRows, deskRows, itemRows, newsRows, serverRows, workRows } from './things.ts';

/** What a world took. */
export interface WorldCost {
  readonly seconds: number;
  readonly bytes: number;
}

/** The boards whose scores follow from the wallets and from AFK: the rest the product counts by itself. */
const SCORES: Readonly<Record<string, string>> = {
  credits:
    "SELECT substr(account, 6) AS user_id, balance AS score FROM ledger_balances WHERE substr(account, 1, 5) = 'user:' AND balance > 0",
  afk: 'SELECT user_id, CAST(SUM(minutes) AS BIGINT) AS score FROM afk_sessions GROUP BY user_id',
};
/** Levels of the tree of ranks (server/modules/leaderboard/tree.ts). */
const LEVELS = 20;
const BASE = 4;

/**
 * Fills a database that has all tables and the sample catalogue, and nothing else, with a host after half a year: users
 * of every kind, their wallets, servers, tickets, mails … Statistics are fresh afterwards; the ledger's proof holds.
 * `say` hears what is under way. In: a path or address (openWorldDatabase).
 */
export async function fillWorld(where: string, size: WorldSize, say: (text: string) => void): Promise<WorldCost> {
  const begunMs = performance.now();
  const db = await openWorldDatabase(where);
  const part = async (name: string, work: () => Promise<unknown>) => {
    const partMs = performance.now();
    await work();
    say(`${name}: ${((performance.now() - partMs) / 1000).toFixed(1)} s`);
  };
  const restore = await db.withoutIndexes();
  const words = wordsOf(db, size);
  const described = [peopleRows, habitRows, serverRows, newsRows, announcementRows, workRows, deskRows, itemRows];
  const wanted = described.flatMap((rowsOf) => rowsOf(words)).filter(({ table }) => !size.without?.has(table));
  for (const rows of wanted) await part(`${rows.table}, ${rows.count} rows`, () => addRows(db, rows));
  await part(`ledger, ${size.postings} postings`, () => fillMoney(db, size));
  await part('leaderboard', () => fillBoards(db, size));
  await part('indexes', restore);
  await part('statistics', () => finish(db, size));
  const bytes = await db.size();
  await db.close();
  return { seconds: (performance.now() - begunMs) / 1000, bytes };
}

/** The boards with their trees, and no posting left to be counted. */
async function fillBoards(db: WorldDatabase, { nowMs }: WorldSize): Promise<void> {
  for (const [board, scores] of Object.entries(SCORES))
    await db.run(
      `INSERT INTO leaderboard_scores (board, user_id, score, listed, linked)
       SELECT '${board}', s.user_id, s.score, 1, 1 FROM (${scores}) AS s JOIN users u ON u.id = s.user_id WHERE u.status = 'active'`,
    );
  await db.run(
    'INSERT INTO leaderboard_counts (board, level, node, players) SELECT board, 0, score, COUNT(*) FROM leaderboard_scores GROUP BY board, score',
  );
  for (let level = 1; level < LEVELS; level += 1)
    await db.run(
      `INSERT INTO leaderboard_counts (board, level, node, players)
       SELECT board, ${level}, node / ${BASE}, CAST(SUM(players) AS BIGINT) FROM leaderboard_counts WHERE level = ${level - 1} GROUP BY board, node / ${BASE}`,
    );
  await db.run(
    `UPDATE leaderboard_state SET tx_id = (SELECT MAX(tx_id) FROM ledger_postings), seq = 0, sweep = 'z', swept_ms = ${nowMs}`,
  );
  await db.run('DELETE FROM leaderboard_marks');
}

/** What is kept beside the rows, and what the engine knows of them. */
async function finish(db: WorldDatabase, { users }: WorldSize): Promise<void> {
  await db.run(`UPDATE ticket_counter SET last = ${users}`);
  await db.run(
    `INSERT INTO image_usage (user_id, images, bytes) SELECT user_id, COUNT(*), CAST(SUM(bytes) AS BIGINT) FROM images GROUP BY user_id`,
  );
  if (db.dialect === 'sqlite') await db.run("INSERT INTO ticket_words (ticket_words) VALUES ('rebuild')");
  await db.run(db.dialect === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE');
}
