import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { composeWeb } from '#server/compose/web.ts';
import type { ServerHandle } from '#server/http/app.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { fillCrowd, type Crowd } from '#tests/support/crowd.ts';
import { processorSecondsOf, secondsOf } from './rounds.ts';
import { BROWSER, openWorld } from './installation.ts';
import { fillWorld } from './world/fill.ts';
import type { WorldSize } from './world/money.ts';

/** The socket of a visitor on this machine. */
const loopback: ServerHandle = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };

/** An installation with a crowd, asked through the whole API. */
export interface CrowdSide {
  /**
   * Ms of processor time that an answer takes, of so many in a round, each for another of the callers. In: the path,
   * and what every answer holds.
   */
  answers(path: string, sign: string, count: number): (round: number) => Promise<number>;
  close(): Promise<void>;
}

/** Whose cookies are sent, in turn, once everybody is there. */
type CookiesOf = (host: Host) => Promise<readonly string[]>;

/** Opens an installation with a crowd in a folder. */
export async function openCrowd(folder: string, crowd: Crowd, cookiesOf: CookiesOf): Promise<CrowdSide> {
  await (await openWorld(folder)).close();
  fillCrowd(join(folder, 'spawnpoint.db'), crowd);
  return openSide(folder, cookiesOf);
}

/** Opens an installation with half a year of a believable host in a folder (world/fill.ts). */
export async function openBelievable(
  folder: string,
  size: Pick<WorldSize, 'users' | 'postings'>,
  cookiesOf: CookiesOf,
): Promise<CrowdSide> {
  await (await openWorld(folder)).close();
  await fillWorld(join(folder, 'spawnpoint.db'), { ...size, nowMs: systemClock.now() }, () => undefined);
  return openSide(folder, cookiesOf);
}

async function openSide(folder: string, cookiesOf: CookiesOf): Promise<CrowdSide> {
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
  const cookies = await cookiesOf(host);
  const ask = async (path: string, which: number, sign: string): Promise<void> => {
    const headers = {
      cookie: cookies[which % cookies.length] ?? '',
      'user-agent': BROWSER,
      accept: 'application/json',
    };
    const response = await handle(new Request(`${config.appUrl}${path}`, { headers }), loopback);
    const text = await response.text();
    if (response.status !== 200 || !text.includes(sign))
      throw new Error(`${path} answered ${response.status} ${text.slice(0, 300)}`);
  };
  return {
    answers: (path, sign, count) => async (round) =>
      ((await processorSecondsOf(() => secondsOf(count, 1, (number) => ask(path, round * count + number, sign)))) *
        1000) /
      count,
    close,
  };
}
