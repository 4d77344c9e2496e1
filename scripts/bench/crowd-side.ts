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
  readonly host: Host;
  /**
   * Ms of processor time that an answer takes, of so many in a round, each for another of the callers. In: their Cookie
   * headers, the path, and what every answer holds.
   */
  answers(cookies: readonly string[], path: string, sign: string, count: number): (round: number) => Promise<number>;
  close(): Promise<void>;
}

/** Opens an installation with a crowd in a folder. */
export async function openCrowd(folder: string, crowd: Crowd): Promise<CrowdSide> {
  await (await openWorld(folder)).close();
  fillCrowd(join(folder, 'spawnpoint.db'), crowd);
  return openSide(folder);
}

/** Opens an installation with half a year of a believable host in a folder (world/fill.ts). */
export async function openBelievable(folder: string, size: Omit<WorldSize, 'nowMs'>): Promise<CrowdSide> {
  await (await openWorld(folder)).close();
  await fillWorld(join(folder, 'spawnpoint.db'), { ...size, nowMs: systemClock.now() }, () => undefined);
  return openSide(folder);
}

async function openSide(folder: string): Promise<CrowdSide> {
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
  const ask = async (cookie: string, path: string, sign: string): Promise<void> => {
    const headers = { cookie, 'user-agent': BROWSER, accept: 'application/json' };
    const response = await handle(new Request(`${config.appUrl}${path}`, { headers }), loopback);
    const text = await response.text();
    if (response.status !== 200 || !text.includes(sign))
      throw new Error(`${path} answered ${response.status} ${text.slice(0, 300)}`);
  };
  return {
    host,
    answers: (cookies, path, sign, count) => async (round) => {
      const callerOf = (number: number) => cookies[(round * count + number) % cookies.length] ?? '';
      const all = () => secondsOf(count, 1, (number) => ask(callerOf(number), path, sign));
      return ((await processorSecondsOf(all)) * 1000) / count;
    },
    close,
  };
}
