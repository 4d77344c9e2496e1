import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '#server/kernel.ts';
import { addPlayers, BROWSER, openWorld } from '../installation.ts';
import { freePort, memoryOf, startServer } from '../processes.ts';
import { boundFigure, plainFigure, type Figure } from '../report.ts';
import { worldUserId } from '../world/money.ts';
import { finishTasks, inWorld } from './figures.ts';

/** How many ask at once, how many are staff, and how often all of them come. */
const VISITORS = 1000;
const STAFF = 50;
const ROUNDS = 5;
/** What a slow reader takes from the socket, how often, and when it has had enough. */
const SIP_MS = 100;
const SIPS = 100;
/** Until when those who leave are gone, in ms. */
const LEAVE_MS = 1500;
/** After a round the server has nothing to do for so long. */
const REST_MS = 10_000;
/** Nobody waits longer for a whole answer. */
const PATIENCE_MS = 120_000;
/**
 * How much more memory there may be after the last round than after the second, in MB. Between them 3,000 come, of whom
 * 2,000 leave or dawdle: a server that kept as much as 32 KB of one of those would be beyond it.
 */
const MOST_MB = 64;
const BINARY = join(import.meta.dir, '../../../dist/spawnpoint');

type Manner = 'leaves' | 'dawdles' | 'reads';
const MANNERS: readonly Manner[] = ['leaves', 'dawdles', 'reads'];

/**
 * Figures y, second half: memory of the served program after each of some rounds in which a thousand ask at once for
 * what is longest; a third leaves in the middle, a third reads slowly. 503 is the answer where too many long questions
 * wait (decision 022); any other fault, or an error in the log, is one.
 */
export const crowdFigures = (): Promise<Figure[]> => inWorld(figuresOf);

async function figuresOf(folder: string): Promise<Figure[]> {
  const { staff, paths } = await prepare(folder);
  const begunMs = systemClock.now();
  const port = await freePort();
  const server = await startServer(
    [BINARY, 'serve', '--local'],
    { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' },
    port,
    '/healthz',
    null,
  );
  const memory = () => memoryOf(server.process.pid, 'VmRSS') ?? NaN;
  const seen = new Map<string, number>();
  const after: number[] = [];
  try {
    await Bun.sleep(REST_MS);
    const idle = memory();
    for (let round = 0; round < ROUNDS; round += 1) {
      const visits = Array.from({ length: VISITORS }, (_, at) =>
        visit(port, paths[at % paths.length] ?? '', staff[at % STAFF] ?? '', MANNERS[at % 3] ?? 'reads'),
      );
      for (const status of await Promise.all(visits)) seen.set(status, (seen.get(status) ?? 0) + 1);
      await Bun.sleep(REST_MS);
      after.push(memory());
      console.error(`round ${round + 1}: ${JSON.stringify(Object.fromEntries(seen))}, ${after.at(-1)} MB`);
    }
    if ((await visit(port, '/api/user/session', staff[0] ?? '', 'reads')) !== '200')
      throw new Error('the server does not answer any more');
    const wrong = [...seen.keys()].filter((status) => !['200', '503', 'left'].includes(status));
    const errors = errorLines(folder, begunMs);
    if (wrong.length + errors.length > 0)
      throw new Error(`answers ${wrong.join(', ')}; log: ${errors.slice(0, 5).join('\n')}`);
    return [
      plainFigure('y.crowd.idle', idle, 'MB'),
      ...after.map((mb, round) => plainFigure(`y.crowd.round.${round + 1}`, mb, 'MB')),
      plainFigure('y.crowd.most', memoryOf(server.process.pid, 'VmHWM') ?? NaN, 'MB'),
      boundFigure('y.crowd.grown', (after.at(-1) ?? NaN) - (after[1] ?? NaN), 'MB', MOST_MB),
      ...[...seen].map(([status, count]) => plainFigure(`y.crowd.answers ${status}`, count, '')),
    ];
  } finally {
    await server.stop();
  }
}

/** Owners who are signed in, and the paths of what is longest: whole exports, the deepest page, the widest search. */
async function prepare(folder: string): Promise<{ staff: string[]; paths: string[] }> {
  const { host, close } = await openWorld(folder);
  await host.database.write(({ raw }) =>
    raw.run(
      "UPDATE users SET username = id, username_key = id, email = id, email_key = id WHERE username LIKE 'player____'",
    ),
  );
  const staff = await addPlayers(host, STAFF, 0);
  await host.database.write(({ raw }) =>
    raw.run("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE username LIKE 'player____'"),
  );
  const me = worldUserId(0);
  const [last] = (await host.database.uow.read((tx) => tx.ledger.history(`user:${me}`, { limit: 1 }))).rows;
  const cursor = last?.cursor;
  await finishTasks(host);
  await close();
  const statement = `/api/admin/users/${me}/statement`;
  return {
    staff,
    // Not a multiple of three, so that each is asked for in each manner.
    paths: [
      `${statement}.csv`,
      `${statement}?per_page=100&before=${(cursor?.createdMs ?? 0) - 170 * 86_400_000}.${cursor?.txId}.0`,
      '/api/admin/users?q=a&per_page=100',
      '/api/admin/users/export.csv',
    ],
  };
}

/**
 * One visitor over a connection of their own. Out: the status of the answer; `left` where they went before it came.
 * Rejects where the connection breaks or nothing more comes.
 */
function visit(port: number, path: string, cookie: string, manner: Manner): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let status: string | null = null;
    let sips = 0;
    const end = () => {
      clearTimeout(patience);
      socket.destroy();
      resolve(status ?? 'left');
    };
    const patience = setTimeout(() => {
      socket.destroy();
      reject(new Error(`${path} did not end`));
    }, PATIENCE_MS);
    if (manner === 'leaves') setTimeout(end, Math.random() * LEAVE_MS);
    socket.on('error', reject);
    // What is so long that nobody reads all of it here: the export of everybody.
    const isEndless = path.endsWith('export.csv');
    socket.on('data', (chunk: Buffer) => {
      status ??= /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 'strange';
      sips += 1;
      if (manner === 'dawdles') sip(socket, sips, end);
      else if (isEndless && sips > SIPS) end();
    });
    socket.on('close', end);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${BROWSER}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
    );
  });
}

/** Takes nothing for a while; after some times it goes. */
function sip(socket: Socket, sips: number, end: () => void): void {
  if (sips > SIPS) return end();
  socket.pause();
  setTimeout(() => socket.resume(), SIP_MS);
}

/** Lines of the log that are errors, since a moment. */
function errorLines(folder: string, sinceMs: number): string[] {
  const logs = join(folder, 'logs');
  return readdirSync(logs)
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"error"') && Number(/"at":(\d+)/.exec(line)?.[1]) >= sinceMs);
}
