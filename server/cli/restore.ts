import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { BackupFault } from '#server/backups/fault.ts';
import { applyRestore, finishRestore, stageRestore, type RestorePlace } from '#server/backups/restore.ts';
import { isRestorePending } from '#server/backups/staging.ts';
import type { Unpacked } from '#server/backups/unpack.ts';
import { databasePlace } from '#server/start/database-place.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';
import { keySource, openAppKey } from '#server/start/app-key.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { hasTables } from '#server/start/presence.ts';
import type { CommandContext } from './run.ts';
import { assertProven, describeProven, keysOf, pathOf } from './backup.ts';
import { progressOf, withFaults } from './backup-steps.ts';
import { systemTerminal, type Terminal } from './user.ts';

const USAGE = `Usage: spawnpoint restore ID|FILE [--key-stdin | --passphrase-stdin] [--yes] [--no-copy]
Replaces database, key and uploads by those of a backup: stop Spawnpoint first. Works on an empty machine, and from SQLite to
PostgreSQL and back. A copy of what is replaced is made before; --no-copy leaves that out where the database is damaged.
It asks twice; --yes answers both questions. Everybody has to log in anew afterwards.`;

/** The two halves are asked for apart by a serving process, which lets the first run beside it. */
const OPTIONS = {
  'passphrase-stdin': { type: 'boolean' },
  'key-stdin': { type: 'boolean' },
  yes: { type: 'boolean' },
  'no-copy': { type: 'boolean' },
  half: { type: 'string' },
  json: { type: 'boolean' },
} as const;
const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
type Given = ReturnType<typeof parse>['values'];

/** `spawnpoint restore ID|FILE`. Out: 0 restored, 1 refused, 2 used wrongly. */
export async function restore(
  config: Config,
  argv: readonly string[],
  _context: Pick<CommandContext, 'words'>,
  terminal: Terminal = systemTerminal,
): Promise<number> {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(argv);
  } catch {
    terminal.err(USAGE);
    return 2;
  }
  const { values: options, positionals } = given;
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) {
    terminal.err(USAGE);
    return 2;
  }
  return withFaults(terminal, options, async () => {
    if (options.half === 'apply') return applyHalf(config, options, terminal);
    const place = await placeOf(config);
    const keys = await keysOf(options, place.appKey, terminal);
    const path = pathOf(config, id);
    if (options.half === 'stage') {
      const staged = await stage(place, { path, keys }, { options, terminal });
      terminal.out(JSON.stringify({ done: staged }));
      return 0;
    }
    return withLock(config, async () => {
      const staged = await stage(place, { path, keys }, { options, terminal });
      if (!options.yes && !(await isConfirmed(terminal, staged))) {
        terminal.err('Nothing was changed.');
        return 1;
      }
      return applyNow(config, place, options, terminal);
    });
  });
}

type Say = { readonly options: Given; readonly terminal: Terminal };

/** Where this configuration's installation lies, and its key where there is an installation. */
async function placeOf(config: Config): Promise<RestorePlace> {
  const source = keySource(config);
  return {
    dataDir: config.dataDir,
    database: databasePlace(config),
    appKey: source === 'none' ? null : openAppKey(config),
    keyIsGiven: source === 'environment',
  };
}

async function stage(
  place: RestorePlace,
  file: Parameters<typeof stageRestore>[1],
  { options, terminal }: Say,
): Promise<Unpacked> {
  const progress = progressOf(terminal, options);
  const log = createLog('error', systemClock.now);
  const onRows = (bytes: number) => progress('rows', bytes, null);
  const staged = await stageRestore(place, file, { nowMs: systemClock.now(), log, onRows });
  assertProven(staged);
  return staged;
}

/** Asks twice. Out: whether both were answered with yes. */
async function isConfirmed(terminal: Terminal, staged: Unpacked): Promise<boolean> {
  terminal.out(describeProven(staged));
  const first = await terminal.ask('Everything since then is replaced by it. Go on (yes)? ');
  if (first?.trim() !== 'yes') return false;
  const day = new Date(staged.figures.madeMs).toISOString().slice(0, 10);
  return (await terminal.ask(`Type ${day} to restore the backup of that day: `))?.trim() === day;
}

async function applyHalf(config: Config, options: Given, terminal: Terminal): Promise<number> {
  return withLock(config, async () => applyNow(config, await placeOf(config), options, terminal));
}

async function applyNow(config: Config, place: RestorePlace, options: Given, terminal: Terminal): Promise<number> {
  const log = createLog('error', systemClock.now);
  const progress = progressOf(terminal, options);
  let id: string | null;
  try {
    const copy = options['no-copy'] ? false : await hasTables(config);
    id = await applyRestore(place, {
      nowMs: systemClock.now(),
      log,
      copy,
      onStep: (step) => progress(step, 0, null),
    });
  } catch (error) {
    if (error instanceof BackupFault || isRestorePending(place)) throw error;
    throw new BackupFault(
      'stopped',
      `${error instanceof Error ? error.message : String(error)}\nNothing was changed. Where the database of today is damaged, --no-copy restores without copying it.`,
    );
  }
  const copied = id === null ? '' : ` What was there before is in ${id}.`;
  terminal.out(options.json ? JSON.stringify({ done: { copy: id } }) : `restored.${copied} Run "spawnpoint serve".`);
  return 0;
}

/** Nobody may serve from a SQLite file meanwhile. Throws StartError, which names who does. */
async function withLock<T>(config: Config, work: () => Promise<T>): Promise<T> {
  const place = databasePlace(config);
  if ('url' in place) return work();
  const since = new Date(systemClock.now()).toISOString();
  mkdirSync(dirname(place.path), { recursive: true, mode: 0o700 });
  const unlock = lockFolder(place.path, { pid: process.pid, address: 'spawnpoint restore', since });
  try {
    return await work();
  } finally {
    unlock();
  }
}

/**
 * Ends a restore that was decided before its process was killed: before any command looks at the installation. Throws
 * StartError where another process is about it.
 */
export async function finishPendingRestore(config: Config): Promise<void> {
  const place = { dataDir: config.dataDir, database: databasePlace(config) };
  const log = createLog('error', systemClock.now);
  await withLock(config, () =>
    finishRestore({ ...place, appKey: null, keyIsGiven: config.appKey !== null }, { nowMs: systemClock.now(), log }),
  );
}
