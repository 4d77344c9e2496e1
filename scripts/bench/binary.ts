import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { href } from '#shared/routes/href.ts';
import { inFolder } from './folder.ts';
import { load } from './load.ts';
import { freePort, memoryOf, startServer } from './processes.ts';
import { boundFigure, median, plainFigure, type Figure } from './report.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const BINARY = join(import.meta.dir, '../../dist/spawnpoint');
const STARTS = 9;
const PAGES = 2000;
/**
 * How long the binary rests after the load before its memory is read, and the most MB it may have kept. The runtime
 * looks through the whole heap 5 to 15 s after the last request, by how long that took it before: at ten seconds it was
 * sometimes still to come (130).
 */
const REST_MS = 20_000;
const MOST_AFTER = 220;
const PLAYERS = Math.ceil((PAGES * 5) / 600) + 1;

/**
 * Figure e: how fast the binary answers after its start, and how much memory it takes: idle, while it renders, and
 * after.
 */
export async function binaryFigures(): Promise<Figure[]> {
  if (!existsSync(BINARY)) throw new Error('dist/spawnpoint is missing: run `bun run build`');
  return [...(await startFigures()), ...(await memoryFigures())];
}

async function start(folder: string) {
  const port = await freePort();
  return startServer(
    [BINARY, 'serve', '--local'],
    { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' },
    port,
    '/healthz',
  );
}

/** The first start makes the database; those after it are what a restart costs. */
function startFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const times: number[] = [];
    for (let at = 0; at <= STARTS; at += 1) {
      const server = await start(folder);
      times.push(server.ms);
      await server.stop();
    }
    const [first = NaN, ...later] = times;
    return [plainFigure('e.start.first', first, 'ms'), plainFigure('e.start', median(later), 'ms')];
  });
}

function memoryFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, PLAYERS, 4);
    await world.close();
    const server = await start(folder);
    try {
      await Bun.sleep(1000);
      const idle = memoryOf(server.process.pid, 'VmRSS');
      const check = (text: string) => {
        if (!text.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
      };
      const headers = { 'User-Agent': BROWSER, Accept: 'text/html' };
      const rate = await load({
        port: server.port,
        path: href('dashboard'),
        cookies,
        headers,
        requests: PAGES,
        connections: 16,
        check,
      });
      const busy = memoryOf(server.process.pid, 'VmHWM');
      await Bun.sleep(REST_MS);
      const after = memoryOf(server.process.pid, 'VmRSS');
      const memory = [
        idle === null ? [] : [plainFigure('e.memory.idle', idle, 'MB')],
        busy === null ? [] : [plainFigure('e.memory.load', busy, 'MB')],
        after === null ? [] : [boundFigure('e.memory.after', after, 'MB', MOST_AFTER)],
      ].flat();
      return [...memory, plainFigure('e.pages', rate, 'requests/s')];
    } finally {
      await server.stop();
    }
  });
}
