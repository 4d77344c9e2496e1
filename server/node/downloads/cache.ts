import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Log } from '#server/modules/kernel.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { jsonLines } from '#server/json-lines.ts';
import { programText } from '../bundle.ts' with { type: 'macro' };
import { ensureFolder, readText } from '../files.ts';
import { ingredientsSchema, type Ingredients } from '../ingredients.ts';
import { endHelper, prepareHelper } from '../sandbox/helper.ts';
import { SLOTS } from '../sandbox/network.ts';
import { userOf } from '../store.ts';
import type { Download } from '#server/panel/embedded/runtime.ts';

/** Downloads at once: each takes a core and the line of the machine. */
const LANES = 2;
/** What one may use: MB, percent of one core, processes; and bytes of its largest file. */
const LIMITS = { memory: 256, cpu: 100, processes: 64 };
const MOST_FILE = 1_073_741_824;
/** One that takes longer is given up. */
const MOST_MS = 14 * MINUTE;
const LOOK_MS = 2 * SECOND;
/** What no server is run with any more is deleted after this time. */
const KEEP_MS = 7 * DAY;
const PROGRAM = programText('downloads');
/** A user that no server has. */
const SLOT = SLOTS;
const MOST_SAID = 200;
const MOST_LOGGED = 1000;
const MOST_LINE = 65_536;

const doneSchema = z.object({ version: z.string().check(z.maxLength(40)), ingredients: ingredientsSchema });
const lineSchema = z.union([
  z.object({ say: z.string() }),
  z.object({ done: doneSchema }),
  z.object({ failed: z.string() }),
]);
/** What came of it: what a server is run with from now on, or a sentence why not. */
export type Loaded = { readonly version: string; readonly ingredients: Ingredients } | { readonly failed: string };

interface Deps {
  /** Folder of servers. */
  readonly folder: string;
  readonly groups: 1 | 2;
  readonly bun: string;
  readonly log: Log;
  readonly now: () => number;
  /** Where everything is asked for instead of at its source; null: at the sources. */
  readonly mirror: string | null;
  readonly userAgent: string;
  /** Whether the machine has less space than it keeps. */
  readonly isBelowReserve: () => boolean;
}
interface Order {
  readonly download: Download;
  readonly version: string;
}
export interface Downloads {
  /** Ends what an earlier process left behind, and deletes what nobody uses. */
  begin(used: readonly Ingredients[]): Promise<void>;
  /** Loads what is not there. `print`: takes lines for the console. */
  load(download: Download, version: string, print: (text: string) => void): Promise<Loaded>;
  /** Folders by the names of ingredients; null where one is not there. */
  mounts(ingredients: Ingredients): Readonly<Record<string, string>> | null;
}

const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const QUIET = { env: ENV, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' } as const;
const entriesOf = (folder: string) => `${folder}/cache/entries`;
const workOf = (folder: string) => `${folder}/cache/work`;
const groupOfLane = (lane: number) => `download.${lane}`;

/** Puts what was loaded in its place. Throws where the disk does not take it. */
async function keep({ folder, now }: Deps, home: string, names: readonly string[]): Promise<void> {
  const at = (name: string) => `${entriesOf(folder)}/${name}`;
  const fresh = names.filter((name) => !existsSync(at(name)));
  for (const name of fresh)
    for (const words of [
      ['chown', '-Rh', '0:0'],
      ['chmod', '-R', 'u=rwX,go=rX'],
    ])
      if ((await Bun.spawn([...words, `${home}/${name}`], QUIET).exited) !== 0) throw new Error(`${words[0]} failed`);
  if ((await Bun.spawn(['sync', '--file-system', home], QUIET).exited) !== 0) throw new Error('the disk failed');
  for (const name of fresh) renameSync(`${home}/${name}`, at(name));
  for (const name of names) utimesSync(at(name), now() / 1000, now() / 1000);
}

/** Loads what is not there, by a program of its own. Throws where the machine cannot begin it or keep what it loaded. */
async function carryOut(deps: Deps, lane: number, order: Order, print: (text: string) => void): Promise<Loaded> {
  const { folder, groups, log } = deps;
  const run = `${workOf(folder)}/${lane}`;
  await endHelper(groups, groupOfLane(lane));
  rmSync(run, { recursive: true, force: true });
  mkdirSync(`${run}/home`, { recursive: true, mode: 0o711 });
  chownSync(`${run}/home`, userOf(SLOT), userOf(SLOT));
  const { mirror, userAgent } = deps;
  const { command, group } = await prepareHelper(
    { groups, bun: deps.bun },
    {
      group: groupOfLane(lane),
      run,
      folder: run,
      slot: SLOT,
      limits: LIMITS,
      fileBytes: MOST_FILE,
      isOnline: true,
      argv: ['/opt/spawnpoint/bun', '/opt/spawnpoint/download.js'],
      env: {
        PATH: '/usr/bin:/bin',
        HOME: '/tmp',
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        BUN_BE_BUN: '1',
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
      },
      inside: {
        'download.js': PROGRAM,
        'order.json': JSON.stringify({ ...order, mirror, userAgent, has: readdirSync(entriesOf(folder)) }),
      },
    },
  );
  const child = Bun.spawn(command, {
    cwd: '/',
    env: ENV,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: Bun.file(`${run}/log`),
  });
  const untilMs = deps.now() + MOST_MS;
  let stopped: string | null = null;
  const watch = setInterval(() => {
    if (deps.isBelowReserve()) stopped = 'The disk of this machine has no room for it.';
    else if (deps.now() > untilMs) stopped = 'It took too long.';
    if (stopped !== null) void group.kill(0);
  }, LOOK_MS);
  let said: Loaded = { failed: 'It broke off.' };
  try {
    for await (const line of jsonLines(child.stdout, MOST_LINE)) {
      const read = lineSchema.safeParse(line);
      if (!read.success) continue;
      if ('say' in read.data) print(read.data.say.slice(0, MOST_SAID));
      else said = 'done' in read.data ? read.data.done : { failed: read.data.failed.slice(0, MOST_SAID) };
    }
    await child.exited;
  } finally {
    clearInterval(watch);
    await endHelper(groups, groupOfLane(lane));
  }
  const names = 'ingredients' in said ? Object.values(said.ingredients) : [];
  const fault = readText(`${run}/log`).slice(-MOST_LOGGED);
  if (fault !== '') log.error('node.download_failed', { ...order, error: fault });
  if (stopped === null && 'ingredients' in said) await keep(deps, `${run}/home`, names);
  rmSync(`${run}/home`, { recursive: true, force: true });
  return stopped === null ? said : { failed: stopped };
}

/**
 * Games and runtimes that the machine keeps once for all its servers: `cache/entries`, a folder each, which nobody
 * changes. They are loaded by a program in a sandbox of its own, which has the machine's network, no rights and one
 * folder; an entry gets its name only when all of it is on the disk.
 */
export function createDownloads(deps: Deps): Downloads {
  const { folder, groups, log } = deps;
  const entries = entriesOf(folder);
  const work = workOf(folder);
  ensureFolder(entries, 0o711);
  ensureFolder(work, 0o711);
  const at = (name: string) => `${entries}/${name}`;
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  const waiting: ((lane: number) => void)[] = [];
  /** Downloads under way, and the consoles that they print to. */
  const running = new Map<
    string,
    { readonly result: Promise<Loaded>; readonly printers: Set<(text: string) => void> }
  >();

  async function inLane(order: Order, print: (text: string) => void): Promise<Loaded> {
    const lane = lanes.shift() ?? (await new Promise<number>((go) => waiting.push(go)));
    try {
      return await carryOut(deps, lane, order, print);
    } catch (error) {
      log.error('node.download_failed', { ...order, error: String(error) });
      return { failed: 'Something went wrong; the log of the node says what.' };
    } finally {
      const next = waiting.shift();
      if (next) next(lane);
      else lanes.push(lane);
    }
  }

  return {
    async begin(used) {
      for (const lane of lanes) await endHelper(groups, groupOfLane(lane));
      rmSync(work, { recursive: true, force: true });
      ensureFolder(work, 0o711);
      const names = new Set(used.flatMap((ingredients) => Object.values(ingredients)));
      for (const name of readdirSync(entries))
        if (!names.has(name) && deps.now() - statSync(at(name)).mtimeMs > KEEP_MS) {
          rmSync(at(name), { recursive: true, force: true });
          log.info('node.cache_deleted', { entry: name });
        }
    },
    load(download, version, print) {
      const key = `${download} ${version}`;
      const known = running.get(key);
      if (known) {
        known.printers.add(print);
        return known.result;
      }
      const printers = new Set([print]);
      const result = inLane({ download, version }, (text) => {
        for (const each of printers) each(text);
      }).finally(() => running.delete(key));
      running.set(key, { result, printers });
      return result;
    },
    mounts(ingredients) {
      const names = Object.entries(ingredients);
      return names.every(([, name]) => existsSync(at(name)))
        ? Object.fromEntries(names.map(([part, name]) => [part, at(name)]))
        : null;
    },
  };
}
