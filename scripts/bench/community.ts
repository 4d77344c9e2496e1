import { SESSION_COOKIE } from '#shared/constants.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { BUSY, busySecret } from '#tests/support/crowd.ts';
import { openCrowd } from './crowd-side.ts';
import { inFolder } from './folder.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';

const TURNS = 9;
/** Answers a turn, each for another user. */
const ANSWERS = 250;
const SMALL = 1000;
const LARGE = 1_000_000;
/** Movements in the wallets that are asked for: more than a page of the statement shows. */
const MOVEMENTS = 60;
/** The larger of two may take this many times as long as the smaller. */
const MOST = 1.5;
const BOARD = endpointUrl(CONTRACT.leaderboard.get);
const STATEMENT = endpointUrl(CONTRACT.account.statement);
const COOKIES = Array.from({ length: BUSY }, (_, which) => `${SESSION_COOKIE}=${busySecret(which)}`);

/**
 * Figures g: what the leaderboard and the first page of a statement take among a thousand people and among a million,
 * through the whole API.
 */
export function communityFigures(): Promise<Figure[]> {
  return inFolder((folderA) =>
    inFolder(async (folderB) => {
      const begun = performance.now();
      const open = (folder: string, users: number) =>
        openCrowd(folder, { users, movements: MOVEMENTS }, () => Promise.resolve(COOKIES));
      const [small, large] = [await open(folderA, SMALL), await open(folderB, LARGE)];
      const filled = (performance.now() - begun) / 1000;
      const compared = (path: string, sign: string) =>
        alternatePair(TURNS, large.answers(path, sign, ANSWERS), small.answers(path, sign, ANSWERS));
      const boards = await compared(BOARD, '"places":[{');
      const statements = await compared(STATEMENT, '"rows":[{');
      await Promise.all([small.close(), large.close()]);
      return [
        growthFigure('g.leaderboard', boards.a, boards.b, 'ms', MOST),
        growthFigure('g.statement', statements.a, statements.b, 'ms', MOST),
        plainFigure('g.filled', filled, 's'),
      ];
    }),
  );
}
