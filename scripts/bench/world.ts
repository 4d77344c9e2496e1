import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openHost } from '#server/compose/host.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { fillWorld } from './world/fill.ts';

/**
 * `bun scripts/bench/world.ts FOLDER [--users N] [--postings N] [--url postgres://…]`: makes an installation with the
 * sample catalogue and a believable host of any size in it, on SQLite in the folder or in an empty PostgreSQL database.
 * `serve --local` with `DATA_DIR=FOLDER` serves it.
 */
const USAGE = 'bun scripts/bench/world.ts FOLDER [--users N] [--postings N] [--url postgres://…]';

function read(argv: readonly string[]): { folder: string; users: number; postings: number; url: string | undefined } {
  const [folder, ...rest] = argv;
  const values = new Map<string, string>();
  for (let at = 0; at < rest.length; at += 2) values.set(rest[at] ?? '', rest[at + 1] ?? '');
  const number = (name: string, usual: number) => Number(values.get(name) ?? usual);
  const users = number('--users', 1_000_000);
  const found = { folder: folder ?? '', users, postings: number('--postings', users * 10), url: values.get('--url') };
  const known = [...values.keys()].every((name) => ['--users', '--postings', '--url'].includes(name));
  if (!folder || !known || !(found.users >= 100) || !(found.postings >= found.users)) throw new Error(USAGE);
  return found;
}

const { folder, users, postings, url } = read(process.argv.slice(2));
mkdirSync(folder, { recursive: true });
const config = {
  ...readConfig({ DATA_DIR: folder, ...(url === undefined ? {} : { DATABASE_URL: url }) }),
  appUrl: 'http://127.0.0.1:3000',
};
const log = createLog('error', systemClock.now);
const host = await openHost({ config, log, clock: systemClock, ids: systemIds, sample: true });
await host.close();
const size = { users, postings, nowMs: systemClock.now() };
const { seconds, bytes } = await fillWorld(url ?? join(folder, 'spawnpoint.db'), size, (text) => console.log(text));
console.log(
  `${users} users, ${postings} postings: ${(seconds / 60).toFixed(1)} minutes, ${(bytes / 1e9).toFixed(2)} GB in ${folder}`,
);
