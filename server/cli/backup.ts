import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isRecipient, recipientOf, type Keys, type Lock } from '#server/backups/container.ts';
import { backupsFolder, countInstallation, createBackup } from '#server/backups/create.ts';
import { BackupFault } from '#server/backups/fault.ts';
import {
  backupPath,
  deleteBackup,
  findBackup,
  isBackupId,
  listBackups,
  prepareFolder,
  writeFacts,
} from '#server/backups/folder.ts';
import { recoveryKeyOf } from '#server/backups/recovery-key.ts';
import { unpackBackup, type Unpacked } from '#server/backups/unpack.ts';
import { BACKUP_KINDS, PASSPHRASE_MIN } from '#shared/backups.ts';
import type { InstallationFigures } from '#server/modules/backups/index.ts';
import { databasePlace } from '#server/start/database-place.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { assertPresence } from '#server/start/presence.ts';
import { StartError } from '#server/start/start-error.ts';
import { fetchCommand, remoteCommand, sendCommand } from './backup-copies.ts';
import { progressOf, withFaults } from './backup-steps.ts';
import { systemTerminal, type Terminal } from './user.ts';
import type { Context } from './with-host.ts';

const USAGE = `Usage: spawnpoint backup create [--recipient age1…]… | [--passphrase-stdin]
       spawnpoint backup list | key | count
       spawnpoint backup verify ID|FILE [--key-stdin | --passphrase-stdin]
       spawnpoint backup delete ID
       spawnpoint backup send ID | fetch ID | remote
create writes DATA_DIR/backups/ID.age: database, key and uploads, encrypted for this installation's recovery key (and for
every --recipient), or by a passphrase alone. key prints the recovery key: keep it somewhere else than on this machine. count says
what this installation holds now. send copies
a backup into the S3 storage that the settings backup_s3_… name, fetch brings one from there, remote lists what it has.`;

/** What commands on backups take beside their words. `json`: the caller is a program and gets a line of JSON a step. */
const OPTIONS = {
  recipient: { type: 'string', multiple: true },
  kind: { type: 'string' },
  'passphrase-stdin': { type: 'boolean' },
  'key-stdin': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parse>['values'];
const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });

/** `spawnpoint backup create | list | verify | delete | key`. Out: 0 done, 1 refused, 2 used wrongly. */
export async function backup(
  config: Config,
  argv: readonly string[],
  context: Context,
  terminal: Terminal = systemTerminal,
): Promise<number> {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(argv);
  } catch {
    return usage(terminal);
  }
  const [verb = '', id, ...rest] = given.positionals;
  const command = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined;
  if (!command || rest.length > 0 || command.takesId !== (id !== undefined)) return usage(terminal);
  await assertPresence(config, false, context.words);
  return withFaults(terminal, given.values, () =>
    command.run(config, { id: id ?? '', options: given.values, terminal, context }),
  );
}

export interface Call {
  readonly id: string;
  readonly options: Options;
  readonly terminal: Terminal;
  readonly context: Context;
}
const COMMANDS: Readonly<Record<string, { takesId: boolean; run: (config: Config, call: Call) => Promise<number> }>> = {
  create: { takesId: false, run: createCommand },
  list: { takesId: false, run: listCommand },
  verify: { takesId: true, run: verifyCommand },
  delete: { takesId: true, run: deleteCommand },
  key: { takesId: false, run: keyCommand },
  count: { takesId: false, run: countCommand },
  send: { takesId: true, run: sendCommand },
  fetch: { takesId: true, run: fetchCommand },
  remote: { takesId: false, run: remoteCommand },
};

function usage(terminal: Terminal): number {
  terminal.err(USAGE);
  return 2;
}

async function createCommand(config: Config, { options, terminal }: Call): Promise<number> {
  const appKey = openAppKey(config);
  const kind = BACKUP_KINDS.find((each) => each === (options.kind ?? 'manual'));
  if (!kind) return usage(terminal);
  const passphrase = options['passphrase-stdin'] ? await secretOf(terminal) : null;
  if (passphrase !== null && passphrase.length < PASSPHRASE_MIN) {
    terminal.err(`A passphrase has at least ${PASSPHRASE_MIN} characters.`);
    return 2;
  }
  const strange = options.recipient?.find((text) => !isRecipient(text));
  if (strange !== undefined) {
    terminal.err(`${JSON.stringify(strange.slice(0, 100))} is no public key of age: it begins with age1.`);
    return 2;
  }
  const lock: Lock =
    passphrase === null
      ? { recipients: [await recipientOf(recoveryKeyOf(appKey)), ...(options.recipient ?? [])] }
      : { passphrase };
  const progress = progressOf(terminal, options);
  const made = await createBackup(
    { dataDir: config.dataDir, database: databasePlace(config), appKey },
    { kind, lock, nowMs: systemClock.now(), onTable: (done, all) => progress('tables', done, all) },
  );
  terminal.out(options.json ? JSON.stringify({ done: made }) : backupPath(backupsFolder(config.dataDir), made.id));
  return 0;
}

function listCommand(config: Config, { terminal }: Call): Promise<number> {
  for (const { id, bytes, facts } of listBackups(backupsFolder(config.dataDir))) {
    const proof = facts?.verified ? (facts.verified.fault ?? 'verified') : 'not verified';
    const holds = facts?.figures ? describe(facts.figures) : 'not looked into';
    terminal.out(`${id}  ${(bytes / 1e6).toFixed(1)} MB  ${holds}  ${proof}`);
  }
  return Promise.resolve(0);
}

function keyCommand(config: Config, { terminal }: Call): Promise<number> {
  terminal.out(recoveryKeyOf(openAppKey(config)));
  return Promise.resolve(0);
}

/** `spawnpoint backup count`: what this installation holds now, for comparing with a backup. */
async function countCommand(config: Config, { options, terminal }: Call): Promise<number> {
  const place = { dataDir: config.dataDir, database: databasePlace(config) };
  const figures = await countInstallation(place, systemClock.now());
  terminal.out(options.json ? JSON.stringify({ done: figures }) : describe(figures));
  return 0;
}

function deleteCommand(config: Config, { id, terminal }: Call): Promise<number> {
  if (isBackupId(id) && deleteBackup(backupsFolder(config.dataDir), id)) return Promise.resolve(0);
  terminal.err(`There is no backup ${JSON.stringify(id.slice(0, 100))}. "spawnpoint backup list" shows them all.`);
  return Promise.resolve(1);
}

async function verifyCommand(config: Config, { id, options, terminal }: Call): Promise<number> {
  const path = pathOf(config, id);
  const keys = await keysOf(options, openAppKey(config), terminal);
  const folder = backupsFolder(config.dataDir);
  prepareFolder(folder, systemClock.now());
  try {
    const found = await verifyBackup(config, { path, keys, options, terminal });
    keepProof(config, id, found);
    terminal.out(options.json ? JSON.stringify({ done: found }) : describeProven(found));
    return 0;
  } catch (error) {
    // A disk that is full or fails says nothing of the backup, and a wrong key little.
    if (error instanceof BackupFault && !['disk_full', 'stopped', 'wrong_key'].includes(error.code))
      keepProof(config, id, error);
    throw error;
  }
}

/** Unpacks a backup into a folder that is thrown away, and proves what it holds. Throws BackupFault. */
async function verifyBackup(
  config: Config,
  { path, keys, options, terminal }: Pick<Call, 'options' | 'terminal'> & { path: string; keys: Keys },
): Promise<Unpacked> {
  const folder = await mkdtemp(join(backupsFolder(config.dataDir), 'spawnpoint-verify-'));
  const part = `${folder}.part`;
  await rm(folder, { recursive: true });
  const progress = progressOf(terminal, options);
  const log = createLog('error', systemClock.now);
  try {
    const found = await unpackBackup(path, keys, part, {
      nowMs: systemClock.now(),
      log,
      endSessions: false,
      onRows: (bytes) => progress('rows', bytes, null),
    });
    assertProven(found);
    return found;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** Refuses a backup whose ledger does not hold. Throws BackupFault. */
export function assertProven({ faults }: Unpacked): void {
  if (faults.length === 0) return;
  throw new BackupFault(
    'ledger',
    `The ledger in the backup has ${faults.length} faults:\n${faults.slice(0, 20).join('\n')}\nNothing was changed.`,
  );
}

/** Keeps what came of a verification, beside a backup of the folder: what it holds, or its fault. */
function keepProof(config: Config, id: string, result: Unpacked | BackupFault): void {
  const folder = backupsFolder(config.dataDir);
  const found = isBackupId(id) ? findBackup(folder, id) : null;
  if (!found) return;
  const failed = result instanceof BackupFault;
  writeFacts(folder, id, {
    figures: failed ? (found.facts?.figures ?? null) : result.figures,
    verified: { at_ms: systemClock.now(), fault: failed ? result.code : null },
  });
}

/** The file that somebody means: a backup of the folder by its id, or any file by its path. Throws StartError. */
export function pathOf(config: Config, id: string): string {
  const path = isBackupId(id) ? backupPath(backupsFolder(config.dataDir), id) : resolve(id);
  if (existsSync(path) && statSync(path).isFile()) return path;
  throw new StartError(`There is no backup ${path}. "spawnpoint backup list" shows those of this installation.`);
}

/** What may open a backup: what is given on standard input, else the recovery key of this installation. */
export async function keysOf(
  options: { readonly 'key-stdin'?: boolean | undefined; readonly 'passphrase-stdin'?: boolean | undefined },
  appKey: Uint8Array | null,
  terminal: Terminal,
): Promise<Keys> {
  if (options['passphrase-stdin']) return { identities: [], passphrases: [await secretOf(terminal)] };
  if (!options['key-stdin']) return { identities: appKey ? [recoveryKeyOf(appKey)] : [], passphrases: [] };
  const key = (await secretOf(terminal)).trim().toUpperCase();
  // One letter wrong is told at once: the text has a checksum.
  try {
    await recipientOf(key);
  } catch {
    throw new BackupFault(
      'wrong_key',
      'This is no recovery key: it begins with AGE-SECRET-KEY-1. Nothing was changed.',
    );
  }
  return { identities: [key], passphrases: [] };
}

const secretOf = async (terminal: Terminal): Promise<string> => (await terminal.stdin()).replace(/\r?\n$/, '');

/** What an installation holds, on one line. */
const describe = ({ users, servers, credits, files, fileBytes }: InstallationFigures): string =>
  `${users} users, ${servers} servers, ${credits} credits, ${files} files (${(fileBytes / 1e6).toFixed(1)} MB)`;

/** What a backup holds whose ledger was proven, on one line. */
export const describeProven = ({ figures }: Unpacked): string =>
  `made ${new Date(figures.madeMs).toISOString()} by Spawnpoint ${figures.version}: ${describe(figures)}, the ledger holds`;
