import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeSocket } from '#server/node/place.ts';
import { probeMachine } from '#server/node/probe.ts';
import { connectNode } from '#server/node/socket.ts';
import type { RuntimeSpec } from '#server/panel/index.ts';
import { freePort } from './processes.ts';
import { boundFigure, plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternate } from './rounds.ts';

const ROUNDS = 7;
const FIRST_PORT = 26_000;
const IDLE = 100;
const IDLE_MS = 20_000;
const READERS = 50;
const WAITING = 400;
const FLOOD_MS = 8000;
const STORM_MS = 60_000;
const MB = 1_048_576;
const FILE_MB = 48;
const PART = 4 * MB;
/** Least shares of the same by hand; most megabytes of a running server, kilobytes of a reader, percent of a core. */
const GOALS = { start: 0.5, serverMb: 2, readerKb: 64, idlePercent: 2, files: 0.6, stormPercent: 10, stormMb: 100 };
const TICK_MS = 10;

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** A server with little to do: the first is a website, the others a shell that waits for its program. */
const specOf = (number: number, more: Partial<RuntimeSpec> = {}): RuntimeSpec => ({
  id: idOf(number),
  revision: 1,
  installation: 1,
  recipe: number === 0 ? 'static-website' : 'java-app',
  memory: 256,
  disk: 512,
  cpu: 400,
  ports: [FIRST_PORT + number],
  environment: {},
  licence: false,
  suspended: false,
  ...more,
});

/**
 * Figures q: servers that really run. A start through the node as a share of the same sandbox by hand, memory of the
 * node per running server and per reader of a console, lines of a flooding one to fifty readers, what a flood for a
 * minute and a hundred idle servers cost, and files against Bun's own. Needs what `spawnpoint node` needs.
 */
export async function nodeFigures(): Promise<Figure[]> {
  const { lacks } = probeMachine();
  if (lacks.length > 0) throw new Error(`this machine cannot run servers: it lacks ${lacks.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-bench-'));
  const runtime = connectNode(nodeSocket(folder));
  const node = Bun.spawn([process.execPath, join(import.meta.dir, '../../server/main.ts'), 'node'], {
    env: { PATH: process.env.PATH ?? '', SERVERS_DIR: folder, LOG_LEVEL: 'error' },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const bench: Bench = { folder, runtime, pid: node.pid };
  try {
    await until(async () => (await runtime.list()).outcome === 'ok');
    await runtime.put(specOf(0));
    await until(async () => (await stateOf(bench, 0)) === 'running');
    return [
      await startFigure(bench),
      ...(await fileFigures(bench)),
      ...(await consoleFigures(bench)),
      ...(await floodFigures(bench)),
      ...(await idleFigures(bench)),
    ];
  } finally {
    await Promise.all(Array.from({ length: IDLE + 2 }, (_, number) => runtime.remove(idOf(number))));
    node.kill();
    await node.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Bench {
  readonly folder: string;
  readonly runtime: ReturnType<typeof connectNode>;
  readonly pid: number;
}

async function until(isTrue: () => Promise<boolean> | boolean, ms = 120_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('it never came true');
    await Bun.sleep(5);
  }
}
async function stateOf({ runtime }: Bench, number: number): Promise<string> {
  const answer = await runtime.read(idOf(number));
  return answer.outcome === 'ok' ? answer.value.state : answer.outcome;
}
const answers = () =>
  fetch(`http://127.0.0.1:${FIRST_PORT}/`, { keepalive: false }).then(
    ({ ok }) => ok,
    () => false,
  );
const groupsOf = (id: string) =>
  ['memory', 'cpu', 'cpuacct', 'pids', 'freezer']
    .map((name) => `/sys/fs/cgroup/${name}/spawnpoint/${id}`)
    .concat(`/sys/fs/cgroup/spawnpoint/${id}`)
    .filter((group) => existsSync(group));
function killGroup(id: string): void {
  for (const pid of readFileSync(`${groupsOf(id).at(-1)}/cgroup.procs`, 'utf8')
    .split('\n')
    .filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

/** A website from the order to its first page, and the same files begun by hand. Both as starts a second. */
async function startFigure(bench: Bench): Promise<Figure> {
  const { folder, runtime } = bench;
  const id = idOf(0);
  const dir = join(folder, id);
  const { slot } = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as { slot: number };
  const off = async () => {
    await runtime.power(id, 'kill');
    await until(async () => (await stateOf(bench, 0)) === 'offline' && !(await answers()));
  };
  await off();
  const rate = async (begin: () => unknown) => {
    const at = performance.now();
    await begin();
    await until(answers);
    return 1000 / (performance.now() - at);
  };
  const words = [dir, String(2_000_000_000 + slot), `spawn${slot}`, process.execPath, String(512 * MB)];
  const [ours = NaN, byHand = NaN] = await alternate(ROUNDS, [
    async () => {
      const value = await rate(() => until(async () => (await runtime.power(id, 'start')).outcome === 'ok'));
      await off();
      return value;
    },
    async () => {
      const value = await rate(() =>
        Bun.spawn(['setsid', 'sh', join(dir, 'run/launch.sh'), ...words, ...groupsOf(id)], {
          cwd: '/',
          env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
          stdout: 'ignore',
          stderr: 'ignore',
        }).unref(),
      );
      killGroup(id);
      await until(async () => !(await answers()));
      return value;
    },
  ]);
  return ratioFigure('q.start', ours, byHand, 'starts/s', GOALS.start);
}

/** A file in parts through the node and the server's own sandbox, against Bun's static file and a body written by Bun. */
async function fileFigures(bench: Bench): Promise<Figure[]> {
  const { runtime, folder } = bench;
  const id = idOf(0);
  const bytes = new Uint8Array(PART).fill(7);
  const size = FILE_MB * MB;
  const path = join(folder, 'plain.bin');
  writeFileSync(path, new Uint8Array(size).fill(7));
  const plain = Bun.serve({
    hostname: '127.0.0.1',
    port: await freePort(),
    maxRequestBodySize: size * 2,
    async fetch(request) {
      if (request.method === 'GET') return new Response(Bun.file(path));
      await Bun.write(join(folder, 'received.bin'), request);
      return new Response('');
    },
  });
  const rate = async (work: () => Promise<unknown>) => {
    const at = performance.now();
    await work();
    return (FILE_MB * 1000) / (performance.now() - at);
  };
  const send = async () => {
    const upload = crypto.randomUUID();
    for (let at = 0; at < size; at += PART) {
      const answer = await runtime.files(id, 'receive', { path: 'up.bin', upload, at, size, replace: true }, bytes);
      if (answer.outcome !== 'ok') throw new Error(`an upload ended with ${JSON.stringify(answer)}`);
    }
  };
  const read = async () => {
    for (let from = 0; from < size; from += PART) {
      const answer = await runtime.files(id, 'part', { path: 'up.bin', from, length: PART, version: null });
      if (answer.outcome !== 'ok') throw new Error(`a download ended with ${JSON.stringify(answer)}`);
    }
  };
  const [up = NaN, plainUp = NaN, down = NaN, plainDown = NaN] = await alternate(ROUNDS, [
    () => rate(send),
    () => rate(() => fetch(plain.url, { method: 'POST', body: new Uint8Array(size) })),
    () => rate(read),
    () => rate(async () => (await fetch(plain.url)).bytes()),
  ]);
  await plain.stop(true);
  return [
    ratioFigure('q.download', down, plainDown, 'MB/s', GOALS.files),
    ratioFigure('q.upload', up, plainUp, 'MB/s', GOALS.files),
  ];
}

const rssMb = (pid: number) =>
  Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
/** Processor time of a process and of those it began and waited for, in ms. */
function spentMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
}

/** Readers that wait cost memory; a server that floods its console costs the node's share of a core. */
async function consoleFigures(bench: Bench): Promise<Figure[]> {
  const { runtime, pid, folder } = bench;
  const id = idOf(1);
  await runtime.put(specOf(1, { recipe: 'bun-app' }));
  await until(async () => (await stateOf(bench, 1)) === 'running');
  await Bun.sleep(3000);
  const last = async () => {
    const answer = await runtime.console(id, 0, 0);
    return answer.outcome === 'ok' ? (answer.value.lines.at(-1)?.seq ?? 0) : 0;
  };
  const after = await last();
  const before = rssMb(pid);
  const waiting = Array.from({ length: WAITING }, () => runtime.console(id, after, 8000));
  await Bun.sleep(5000);
  const reader = ((rssMb(pid) - before) * 1024) / WAITING;
  await Promise.all(waiting);
  writeFileSync(
    join(folder, id, 'home/index.ts'),
    'const line = "[12:00:00] [Server thread/INFO]: Somebody joined the game\\n".repeat(200); for (;;) { process.stdout.write(line); await Bun.sleep(10); }',
  );
  await until(async () => (await runtime.power(id, 'restart')).outcome === 'ok');
  await Bun.sleep(3000);
  const [spent, began] = [spentMs(pid), performance.now()];
  const read = async () => {
    let lines = 0;
    for (let from = await last(); performance.now() - began < FLOOD_MS; await Bun.sleep(150)) {
      const answer = await runtime.console(id, from, 1000);
      if (answer.outcome !== 'ok') throw new Error(`a console answered ${answer.outcome}`);
      lines += answer.value.lines.length;
      from = answer.value.lines.at(-1)?.seq ?? from;
    }
    return lines;
  };
  const counts = await Promise.all(Array.from({ length: READERS }, read));
  const took = performance.now() - began;
  await runtime.remove(id);
  return [
    boundFigure('q.reader', Math.max(0, reader), 'KB', GOALS.readerKb),
    plainFigure('q.lines', (counts.reduce((sum, each) => sum + each, 0) / took) * 1000, 'lines/s to 50'),
    plainFigure('q.lines.core', ((spentMs(pid) - spent) / took) * 100, '% of a core'),
  ];
}

/** A server that writes as fast as it is read, for a minute (N6): what that costs the node. */
async function floodFigures(bench: Bench): Promise<Figure[]> {
  const { runtime, pid, folder } = bench;
  const id = idOf(1);
  await runtime.put(specOf(1, { recipe: 'bun-app' }));
  await until(async () => (await stateOf(bench, 1)) === 'running');
  writeFileSync(
    join(folder, id, 'home/index.ts'),
    'import { writeSync } from "node:fs"; const lines = Buffer.from("[12:00:00] [Server thread/INFO]: Somebody joined the game\\n".repeat(2000)); for (;;) writeSync(1, lines);',
  );
  const before = rssMb(pid);
  await until(async () => (await runtime.power(id, 'restart')).outcome === 'ok');
  await until(async () => (await stateOf(bench, 1)) === 'running');
  const [spent, began] = [spentMs(pid), performance.now()];
  let most = 0;
  while (performance.now() - began < STORM_MS) {
    await Bun.sleep(200);
    most = Math.max(most, rssMb(pid));
  }
  const share = ((spentMs(pid) - spent) / (performance.now() - began)) * 100;
  await runtime.remove(id);
  return [
    boundFigure('q.flood.core', share, '% of a core', GOALS.stormPercent),
    boundFigure('q.flood', Math.max(0, most - before), 'MB', GOALS.stormMb),
  ];
}

/** A hundred servers that do nothing: what the node takes for each, and all the time. */
async function idleFigures(bench: Bench): Promise<Figure[]> {
  const { runtime, pid } = bench;
  const before = rssMb(pid);
  for (let number = 2; number < IDLE + 2; number += 1) await runtime.put(specOf(number));
  await until(async () => {
    const list = await runtime.list();
    return list.outcome === 'ok' && list.value.filter(({ state }) => state === 'running').length >= IDLE;
  }, 600_000);
  // Their beginnings are over.
  await Bun.sleep(5000);
  const [spent, began] = [spentMs(pid), performance.now()];
  await Bun.sleep(IDLE_MS);
  const share = ((spentMs(pid) - spent) / (performance.now() - began)) * 100;
  return [
    boundFigure('q.server', Math.max(0, rssMb(pid) - before) / IDLE, 'MB', GOALS.serverMb),
    boundFigure('q.idle', share, '% of a core', GOALS.idlePercent),
  ];
}
