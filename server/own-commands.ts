import { jsonLines } from './json-lines.ts';

/** How a command of this program ended. */
interface CommandEnd {
  readonly code: number;
  /** What it wrote to its standard error. */
  readonly said: string;
}
/** Commands of this program, each in a process of its own. */
export interface OwnCommands {
  /**
   * Runs one. `input`: its standard input, for what nobody may read off its arguments. `onLine` hears every line of its
   * output as JSON; null where it is none. Rejects where it cannot be started.
   */
  run(
    args: readonly string[],
    work: { readonly input?: string | undefined; readonly onLine: (value: unknown) => void },
  ): Promise<CommandEnd>;
  /** Ends what is running. */
  stop(): void;
}
interface Deps {
  /** How this program is started: its path, and in development that of its main file. */
  readonly command: readonly string[];
  /** Its environment: the installation is that of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What would keep the thread that answers busy is done by this program's own commands. */
export function createOwnCommands({ command, env }: Deps): OwnCommands {
  const children = new Set<Bun.Subprocess>();
  return {
    async run(args, { input, onLine }) {
      const child = Bun.spawn([...command, ...args], {
        env: { ...env, LOG_LEVEL: 'error' },
        stdin: input === undefined ? 'ignore' : new Blob([input]),
        stdout: 'pipe',
        stderr: 'pipe',
      });
      children.add(child);
      const said = new Response(child.stderr).text();
      try {
        for await (const line of jsonLines(child.stdout)) onLine(line);
        return { code: await child.exited, said: await said };
      } finally {
        children.delete(child);
      }
    },
    stop() {
      for (const child of children) child.kill();
    },
  };
}
