import { Database } from 'bun:sqlite';
import { closeSync, copyFileSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillCrowd } from '#tests/support/crowd.ts';
import { inFolder } from './folder.ts';
import { percentile, pollWhile, servedAsByHosts } from './polls.ts';
import { runProgram } from './program.ts';
import { boundFigure, growthFigure, plainFigure, ratioFigure, type Figure } from './report.ts';
import { addPlayers, openWorld } from './installation.ts';
import { finishTasks } from './stall/figures.ts';

/** Half a million movements: so many for each of the 500 busy users (tests/support/crowd.ts). */
const CROWD = { users: 50_000, movements: 1000 };
/** Backing up and restoring may take this share of the speed of copying the file, and so much more memory than idling. */
const LEAST = 0.3;
const MORE_MB = 100;
/** Players who poll their session while backups are made, rounds of it, and how long a quiet one takes, in ms. */
const POLLERS = 60;
const ROUNDS = 2;
const QUIET_MS = 3000;
/** The slowest of a hundred polls may take this many times as long during a backup. */
const MOST_SLOWER = 2;
/** Calls of the metrics, and what half of them may take at most, in ms. */
const METRICS_CALLS = 200;
const METRICS_MS = 5;
const METRICS_TOKEN = 'plough-lantern-meadow-seven-and-more';
const MB = 1024 ** 2;

/**
 * Figures m: how quickly the binary makes, proves and restores a backup of a crowd, against copying its database file,
 * and how much memory that takes.
 */
export function backupFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const cookies = await addPlayers(world.host, POLLERS, 0);
    await finishTasks(world.host);
    await world.close();
    const database = join(folder, 'spawnpoint.db');
    fillCrowd(database, CROWD);
    payFromSource(database);
    // Statements that are still held keep the file open: what is written is brought into it when they go.
    Bun.gc(true);
    writeFileSync(join(folder, 'app.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
    const run = (...words: string[]) => runProgram(folder, words);
    const idle = await run('backup', 'key');
    const size = statSync(database).size / MB;
    const copying = size / copySeconds(database);
    const created = await run('backup', 'create');
    const id = /([^/]+)\.age\s*$/.exec(created.said)?.[1] ?? '';
    const polls = await pollFigures(folder, cookies, id);
    const verified = await run('backup', 'verify', id);
    const restored = await run('restore', id, '--yes', '--no-copy');
    return [
      plainFigure('m.size', size, 'MB'),
      ratioFigure('m.create', size / created.seconds, copying, 'MB/s', LEAST),
      plainFigure('m.verify', size / verified.seconds, 'MB/s'),
      ratioFigure('m.restore', size / restored.seconds, copying, 'MB/s', LEAST),
      boundFigure('m.create_memory', created.peakMb - idle.peakMb, 'MB', MORE_MB),
      plainFigure('m.restore_memory', restored.peakMb - idle.peakMb, 'MB'),
      ...polls,
    ];
  });
}

/**
 * How long the slowest of a hundred session polls takes while a backup is made, and while one is verified, against
 * without either: as the server has it done, by a process that gives way.
 */
async function pollFigures(folder: string, cookies: readonly string[], id: string): Promise<Figure[]> {
  const { url, stop } = await servedAsByHosts(folder, { METRICS_TOKEN });
  const done = (...words: string[]) => runProgram(folder, ['backup', ...words, '--json']);
  const times = { quiet: [] as number[], create: [] as number[], verify: [] as number[] };
  const metrics: number[] = [];
  try {
    // The first polls warm up; a backup is made by a process of its own.
    await pollWhile(url, cookies, Bun.sleep(QUIET_MS));
    for (let round = 0; round < ROUNDS; round += 1) {
      times.quiet.push(...(await pollWhile(url, cookies, Bun.sleep(QUIET_MS))));
      times.create.push(...(await pollWhile(url, cookies, done('create'))));
    }
    times.verify.push(...(await pollWhile(url, cookies, done('verify', id))));
    for (let count = 0; count < METRICS_CALLS; count += 1) metrics.push(await metricsMs(url));
  } finally {
    await stop();
  }
  const [quiet, create, verify] = [times.quiet, times.create, times.verify].map((each) => percentile(each, 0.99));
  return [
    growthFigure('m.poll_in_create', create ?? NaN, quiet ?? NaN, 'ms', MOST_SLOWER),
    growthFigure('m.poll_in_verify', verify ?? NaN, quiet ?? NaN, 'ms', MOST_SLOWER),
    boundFigure('m.metrics', percentile(metrics, 0.5), 'ms', METRICS_MS),
  ];
}

/** How long Prometheus waits for the metrics, in ms. */
async function metricsMs(url: string): Promise<number> {
  const begunMs = performance.now();
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  if (!(await response.text()).includes('spawnpoint_')) throw new Error(`the metrics answered ${response.status}`);
  return performance.now() - begunMs;
}

/** The crowd's movements come from a source whose balance nobody wrote: a ledger that does not add up is not restored. */
function payFromSource(path: string): void {
  const file = new Database(path);
  file.run(
    `INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves)
     SELECT '1970-01-01', 'system:reward.afk', 'reward.afk', SUM(balance), 0, 0, 0, 1 FROM ledger_balances`,
  );
  file.run(
    `INSERT INTO ledger_balances (account, balance) SELECT 'system:reward.afk', -SUM(balance) FROM ledger_balances WHERE true
     ON CONFLICT (account, shard) DO UPDATE SET balance = ledger_balances.balance + excluded.balance`,
  );
  file.close();
}

/** Seconds to copy a file and bring the copy to the disk. */
function copySeconds(path: string): number {
  const copy = `${path}.copy`;
  const begunMs = performance.now();
  copyFileSync(path, copy);
  const file = openSync(copy, 'r+');
  fsyncSync(file);
  closeSync(file);
  const seconds = (performance.now() - begunMs) / 1000;
  rmSync(copy);
  return seconds;
}
