import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { href } from '#shared/routes/href.ts';
import { inFolder } from './folder.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';
import { load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { median, plainFigure, ratioFigure, type Figure } from './report.ts';

const BINARY = join(import.meta.dir, '../../dist/spawnpoint');
/**
 * Pages before anything is measured, for each process that makes them: what is compiled while it runs is compiled by
 * then.
 */
const WARM = 1500;
const PAGES = 1000;
const ROUNDS = 2;
/** The system gives each connection to one process, which is even only with many. */
const CONNECTIONS = 64;
const CORES = 2;
/** Reads of a page, and how many a player may have in a minute. */
const READS_PER_PAGE = 5;
const READS_PER_MINUTE = 600;
/** How processor time is counted in /proc. */
const TICKS_PER_SECOND = 100;

interface Rate {
  /** Pages in a second, while this program asks for them on the same cores. */
  readonly wall: number;
  /** Pages in a second of processor time, of all processes of the server together. */
  readonly cpu: number;
}

/**
 * Figure w: pages of a dashboard from one process on one core, and from two processes for pages beside one for the
 * hosting API on two cores. The load takes part of the same cores, and another program may take more: so what two cores
 * would give is computed from the processor time that a page takes.
 */
export function workerFigures(): Promise<Figure[]> {
  if (!existsSync(BINARY)) throw new Error('dist/spawnpoint is missing: run `bun run build`');
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(
      world.host,
      Math.ceil(((WARM * CORES + PAGES * ROUNDS) * READS_PER_PAGE) / READS_PER_MINUTE) + 4,
      4,
    );
    await world.close();
    const one: Rate[] = [];
    const more: Rate[] = [];
    await inFolder(async (other) => {
      cpSync(folder, other, { recursive: true });
      await using single = await serve(folder, cookies, []);
      await using several = await serve(other, cookies, ['--workers', String(CORES)]);
      await single.ask(WARM);
      await several.ask(WARM * CORES);
      for (let round = 0; round < ROUNDS; round += 1) {
        one.push(await single.measure());
        more.push(await several.measure());
      }
    });
    const middle = (rates: readonly Rate[], what: keyof Rate) => median(rates.map((rate) => rate[what]));
    return [
      ratioFigure('w.pages', middle(more, 'cpu') * CORES, middle(one, 'cpu'), 'requests/s', 1.7),
      plainFigure('w.pages.one-core', middle(one, 'wall'), 'requests/s'),
      plainFigure('w.pages.two-cores', middle(more, 'wall'), 'requests/s'),
    ];
  });
}

/** Serves an installation, which can be asked for pages and measured. */
async function serve(folder: string, cookies: readonly string[], words: readonly string[]) {
  const port = await freePort();
  const server = await startServer(
    [BINARY, 'serve', '--local', ...words],
    { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn' },
    port,
    '/readyz',
    words.length > 0 ? null : undefined,
  );
  const check = (text: string) => {
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
  };
  const headers = { 'User-Agent': BROWSER, Accept: 'text/html' };
  const ask = (requests: number) =>
    load({ port, path: href('dashboard'), cookies, headers, requests, connections: CONNECTIONS, check });
  return {
    ask,
    async measure(): Promise<Rate> {
      const before = cpuSeconds(server.process.pid);
      const wall = await ask(PAGES);
      return { wall, cpu: PAGES / (cpuSeconds(server.process.pid) - before) };
    },
    [Symbol.asyncDispose]: server.stop,
  };
}

/** Processor time of a process and of those that it began, in s. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return own + children.reduce((sum, child) => sum + cpuSeconds(Number(child)), 0);
}
