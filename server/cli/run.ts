import { ConfigError, readConfig, type Config } from '#server/env.ts';
import { HELP } from './help.ts';

type Command = (config: Config, argv: readonly string[]) => Promise<number>;

/** Sub-commands; each file is loaded only when it is asked for, so that `smoke` does not open a database. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrate,
  user: async () => (await import('./operate.ts')).user,
  mail: async () => (await import('./operate.ts')).mail,
  ledger: async () => (await import('./operate.ts')).ledger,
  vpn: async () => (await import('./operate.ts')).vpn,
  panel: async () => (await import('./operate.ts')).panel,
  settings: async () => (await import('./operate.ts')).settings,
};

/** Runs the command line. In: the arguments after the program's name. Out: the exit code (0 fine, 1 failed, 2 used wrongly). */
export async function run(argv: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = argv;
  if (name === '--help' || name === '-h' || name === 'help') {
    console.log(HELP);
    return 0;
  }
  if (name === 'smoke') return (await import('./smoke.ts')).smokeCommand(rest);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    console.error(`Unknown command "${name}".\n\n${HELP}`);
    return 2;
  }
  try {
    const command = await load();
    return await command(readConfig(process.env), rest);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 2;
  }
}
