import { join } from 'node:path';
import { composeWeb } from '#server/compose/web.ts';
import type { ServerHandle } from '#server/http/app.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { BUSY, busySecret, fillCrowd } from '#tests/support/crowd.ts';
import { inFolder } from './folder.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { alternatePair, processorSecondsOf, secondsOf } from './rounds.ts';
import { BROWSER, openWorld } from './world.ts';

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

/** The socket of a visitor on this machine. */
const loopback: ServerHandle = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };

interface Side {
  /** Ms of processor time that an answer takes. */
  answers(path: string, sign: string): (turn: number) => Promise<number>;
  close(): Promise<void>;
}

/**
 * Figures g: what the leaderboard and the first page of a statement take among a thousand people and among a million,
 * through the whole API.
 */
export function communityFigures(): Promise<Figure[]> {
  return inFolder((folderA) =>
    inFolder(async (folderB) => {
      const begun = performance.now();
      const [small, large] = [await sideOf(folderA, SMALL), await sideOf(folderB, LARGE)];
      const filled = (performance.now() - begun) / 1000;
      const boards = await alternatePair(
        TURNS,
        large.answers(BOARD, '"places":[{'),
        small.answers(BOARD, '"places":[{'),
      );
      const statements = await alternatePair(
        TURNS,
        large.answers(STATEMENT, '"rows":[{'),
        small.answers(STATEMENT, '"rows":[{'),
      );
      await Promise.all([small.close(), large.close()]);
      return [
        growthFigure('g.leaderboard', boards.a, boards.b, 'ms', MOST),
        growthFigure('g.statement', statements.a, statements.b, 'ms', MOST),
        plainFigure('g.filled', filled, 's'),
      ];
    }),
  );
}

/** An installation with a crowd. */
async function sideOf(folder: string, users: number): Promise<Side> {
  await (await openWorld(folder)).close();
  fillCrowd(join(folder, 'spawnpoint.db'), { users, movements: MOVEMENTS });
  const { host, config, log, close } = await openWorld(folder);
  const handle = await composeWeb({
    config,
    transport: memoryTransport(host.api, host.ready),
    clock: systemClock,
    ids: systemIds,
    log,
    local: true,
    pages: false,
  });
  const ask = async (path: string, which: number, sign: string): Promise<void> => {
    const headers = {
      cookie: `${SESSION_COOKIE}=${busySecret(which)}`,
      'user-agent': BROWSER,
      accept: 'application/json',
    };
    const response = await handle(new Request(`${config.appUrl}${path}`, { headers }), loopback);
    const text = await response.text();
    if (response.status !== 200 || !text.includes(sign))
      throw new Error(`${path} answered ${response.status} ${text.slice(0, 300)}`);
  };
  return {
    answers: (path, sign) => async (turn) =>
      ((await processorSecondsOf(() =>
        secondsOf(ANSWERS, 1, (number) => ask(path, (turn * ANSWERS + number) % BUSY, sign)),
      )) *
        1000) /
      ANSWERS,
    close,
  };
}
