import { ConfigError, readConfig, type Config } from '#server/env.ts';
import { lowerPriority } from '#server/low-priority.ts';
import type { SpawnReader } from '#server/data/reader/thread.ts';
import type { SpawnHashing } from '#server/identity-providers/hash-threads.ts';
import type { SpawnDrawing } from '#server/images/picture-thread.ts';
import type { SpawnMailReading } from '#server/mail/mail-reader.ts';
import type { SpawnPackageReading } from '#server/plugins/package-reader.ts';
import type { SpawnSandbox } from '#server/plugins/sandbox.ts';
import type { StartFlags } from '#server/start/presence.ts';
import { databasePlace } from '#server/start/database-place.ts';
import { isRestorePending } from '#server/backups/staging.ts';
import { HELP } from './help.ts';

/** What only the main entry can name. */
interface Parts {
  readonly spawnReader: SpawnReader;
  readonly spawnDrawing: SpawnDrawing;
  readonly spawnMailReading: SpawnMailReading;
  readonly spawnSandbox: SpawnSandbox;
  readonly spawnPackageReading: SpawnPackageReading;
  readonly spawnHashing: SpawnHashing;
}
/**
 * What a command has beside configuration and arguments: parts of the program, and the operator's words about a missing
 * database or key.
 */
export interface CommandContext extends Parts {
  readonly words: StartFlags;
}
type Command = (config: Config, argv: readonly string[], context: CommandContext) => Promise<number>;

/** Sub-commands; each file is loaded only when it is asked for, so that `smoke` does not open a database. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  // Begun by `serve --workers`, as serve-web below.
  'serve-api': async () => (await import('./serve-api.ts')).serveApi,
  migrate: async () => (await import('./migrate.ts')).migrate,
  user: async () => (await import('./operate.ts')).user,
  mail: async () => (await import('./operate.ts')).mail,
  ledger: async () => (await import('./operate.ts')).ledger,
  vpn: async () => (await import('./operate.ts')).vpn,
  panel: async () => (await import('./operate.ts')).panel,
  doctor: async () => (await import('./doctor.ts')).doctor,
  settings: async () => (await import('./operate.ts')).settings,
  import: async () => (await import('./import.ts')).importCommand,
  node: async () => (await import('./node.ts')).nodeCommand,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
};

/**
 * Runs the command line. In: the arguments after the program's name, and what only the main entry can name. Out: the
 * exit code (0 fine, 1 failed, 2 used wrongly).
 */
export async function run(argv: readonly string[], parts: Parts): Promise<number> {
  const [name = '--help', ...given] = argv;
  if (name === '--help' || name === '-h' || name === 'help') {
    console.log(HELP);
    return 0;
  }
  // Begun by a server, without an environment.
  if (name === 'image-codec') return (await import('#server/images/hosted/codec-process.ts')).runCodec();
  if (name === 'serve-web') return (await import('./serve-web.ts')).serveWeb(given);
  if (name === 'sdk') return (await import('./sdk.ts')).sdkCommand(given);
  if (name === 'plugin') return (await import('./plugin.ts')).pluginCommand(given, parts.spawnSandbox);
  if (name === 'smoke') return (await import('./smoke.ts')).smokeCommand(given);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    console.error(`Unknown command "${name}".\n\n${HELP}`);
    return 2;
  }
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 2;
  }
  const words = { isNew: given.includes('--new'), newKey: given.includes('--new-key') };
  // Begun by the server, which reads its progress: whoever waits for the server comes first.
  if (['backup', 'restore', 'import'].includes(name) && given.includes('--json')) lowerPriority('process');
  const rest = given.filter((word) => word !== '--new' && word !== '--new-key');
  try {
    const command = await load();
    // Before anybody looks at the installation: a restore was decided, and its process killed.
    if (isRestorePending({ dataDir: config.dataDir, database: databasePlace(config) }))
      await (await import('./restore.ts')).finishPendingRestore(config);
    return await command(config, rest, { ...parts, words });
  } catch (error) {
    const { startFault } = await import('#server/start/faults.ts');
    const text = startFault(error, config);
    if (text === null) throw error;
    console.error(text);
    return 1;
  }
}
