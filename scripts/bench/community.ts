import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { openBelievable, type CrowdSide } from './crowd-side.ts';
import { inFolder } from './folder.ts';
import { openSession } from './installation.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { userListFigures } from './user-list.ts';
import { worldUserId } from './world/money.ts';

const TURNS = 9;
/** Answers a turn, in turn for each of those who ask. */
const ANSWERS = 250;
/** Nothing in these tables is read by what is asked here, and to make them takes a third of the time. */
const UNREAD: ReadonlySet<string> = new Set([
  'abuse_signals',
  'announcement_reads',
  'audit',
  'earn_counters',
  'mails',
  'notifications',
  'server_events',
  'server_queue',
  'server_queue_log',
  'ticket_messages',
  'ticket_tags',
  'ticket_texts',
]);
const SMALL = { users: 2000, postings: 20_000, without: UNREAD };
const LARGE = { users: 1_000_000, postings: 5_000_000, without: UNREAD };
/** So many ask that nobody comes near the limit of 600 calls a minute. */
const ASKING = 30;
/** Movements in the wallets that are asked for, at least: more than a page of the statement shows. */
const MOVEMENTS = 26;
/** Those who came first are there most: among so many of them are enough who ask. */
const FIRST = 200;
/** The larger of two may take this many times as long as the smaller. */
const MOST = 1.5;
const BOARD = endpointUrl(CONTRACT.leaderboard.get);
const STATEMENT = endpointUrl(CONTRACT.account.statement);

/**
 * Figures g: what the leaderboard, the first page of a statement and the list of users take among two thousand people
 * and among a million of a believable host, through the whole API.
 */
export function communityFigures(): Promise<Figure[]> {
  return inFolder((folderA) =>
    inFolder(async (folderB) => {
      const begun = performance.now();
      const [small, large] = [await openBelievable(folderA, SMALL), await openBelievable(folderB, LARGE)];
      const filled = (performance.now() - begun) / 1000;
      const [few, many] = [await signInBusy(small.host), await signInBusy(large.host)];
      const compared = (path: string, sign: string) =>
        alternatePair(TURNS, large.answers(many, path, sign, ANSWERS), small.answers(few, path, sign, ANSWERS));
      const boards = await compared(BOARD, '"places":[{');
      const statements = await compared(STATEMENT, '"rows":[{');
      const users = await userListFigures(large, small);
      await Promise.all([small.close(), large.close()]);
      return [
        growthFigure('g.leaderboard', boards.a, boards.b, 'ms', MOST),
        growthFigure('g.statement', statements.a, statements.b, 'ms', MOST),
        ...users,
        plainFigure('g.filled', filled, 's'),
      ];
    }),
  );
}

/** Signs in players whose wallet has many movements. Out: a Cookie header for each. */
async function signInBusy({ database }: CrowdSide['host']): Promise<string[]> {
  const ids = Array.from({ length: FIRST }, (_, number) => worldUserId(number));
  const rows = await database.read(({ raw }) =>
    raw.all<{ id: string }>(
      `SELECT u.id FROM users u WHERE u.id IN (${ids.map(() => '?').join(', ')}) AND u.status = 'active'
         AND (SELECT COUNT(*) FROM (
           SELECT 1 FROM ledger_postings WHERE destination = 'user:' || u.id LIMIT ${MOVEMENTS}
         ) AS found) = ${MOVEMENTS}
       ORDER BY u.id LIMIT ${ASKING}`,
      ids,
    ),
  );
  if (rows.length < ASKING) throw new Error(`only ${rows.length} wallets have ${MOVEMENTS} movements`);
  return database.uow.run(async (tx) => {
    const cookies: string[] = [];
    for (const { id } of rows) cookies.push(await openSession(tx, id));
    return cookies;
  });
}
