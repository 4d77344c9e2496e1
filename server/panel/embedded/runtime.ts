import type {
  ConsolePart,
  PanelAnswer,
  PanelBackups,
  PanelFiles,
  ServerHalt,
} from '#server/modules/servers/panel/ports.ts';
import type { ConfigFile } from '#shared/config-files.ts';
import type { ContainerSpec, EngineState } from '#shared/engine.ts';
import type { MachineParts, UsageTotals } from '#shared/machine.ts';
import type { RuntimeState } from '#shared/server-codes.ts';

/** Kinds of servers whose game is loaded from its publisher when it is installed. */
export const DOWNLOADS = [
  'minecraft-vanilla',
  'minecraft-paper',
  'minecraft-purpur',
  'minecraft-fabric',
  'minecraft-velocity',
  'mindustry',
  'terraria',
  'factorio',
] as const;
export type Download = (typeof DOWNLOADS)[number];
/**
 * Kinds of servers that a runtime can run. An egg names one by its image, `spawnpoint/` before it; or it has a
 * container.
 */
export const RECIPE_IDS = [
  'static-website',
  'bun-app',
  'node-app',
  'python-app',
  'java-app',
  ...DOWNLOADS,
  /** An image of the egg's own, by Docker or Podman. */
  'container',
] as const;
export type RecipeId = (typeof RECIPE_IDS)[number];

/** What a server shall be. All of it is sent each time; the newest revision counts, in whatever order they come. */
export interface RuntimeSpec {
  /** UUID: the only name of it that a runtime knows. */
  readonly id: string;
  readonly revision: number;
  /** Counts installations: a higher one than the last installs anew, over the files that are there. */
  readonly installation: number;
  readonly recipe: RecipeId;
  /** MB, MB, percent of one core. */
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
  /** Ports of the machine, the default first. */
  readonly ports: readonly number[];
  /** It is stopped and does not start while this holds. */
  readonly suspended: boolean;
  /** The egg's variables by name: its process finds them in its environment from its next start on. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its configuration files, which are brought to their settings before each start; absent: none. */
  readonly configFiles?: readonly ConfigFile[];
  /** Its owner has accepted the licence of what it runs, where that has one. */
  readonly licence: boolean;
  /** What it is run with where its recipe is `container`; absent or null with every other. */
  readonly container?: ContainerSpec | null;
}

/** A server as it is. Bytes, percent of one core, ms since its start; zeros while it is off. */
export interface RuntimeServer {
  readonly id: string;
  readonly revision: number;
  readonly state: RuntimeState;
  readonly memory: number;
  readonly cpu: number;
  readonly disk: number;
  /** Bytes a second that came and went lately. */
  readonly received: number;
  readonly sent: number;
  /** Since it was started, or longer. */
  readonly totals: UsageTotals;
  readonly uptimeMs: number;
  /** Backups that take a place. */
  readonly backups: number;
  /** Null while nothing is wrong with it. */
  readonly halt: ServerHalt | null;
}
/** The machine that runs servers. Bytes, ms. */
export interface RuntimeMachine {
  readonly parts: MachineParts;
  /** Version of its control groups. */
  readonly groups: 1 | 2;
  /** Distribution, kernel and processor, as the machine says. */
  readonly system: string;
  readonly kernel: string;
  readonly processor: string;
  readonly cores: number;
  readonly uptimeMs: number;
  readonly memory: { readonly total: number; readonly free: number };
  /** The file system of its servers: its size, what is free of it, and its kind. */
  readonly disk: { readonly total: number; readonly free: number; readonly kind: string };
  /** Folder of its servers. */
  readonly folder: string;
  /** All servers rest, and none starts. */
  readonly maintenance: boolean;
  /** Bytes of disk below which nothing starts. */
  readonly reserve: number;
  /** Kinds of servers that cannot run here: the package that has what they need; null: another processor. */
  readonly lacking: readonly { readonly recipe: RecipeId; readonly needs: string | null }[];
  /** What runs containers here: Docker or Podman and its version, and where it listens. */
  readonly engine: {
    readonly state: EngineState;
    readonly name: string;
    readonly version: string;
    readonly socket: string;
  };
}
export const RUNTIME_SIGNALS = ['start', 'stop', 'restart', 'kill'] as const;
export type RuntimeSignal = (typeof RUNTIME_SIGNALS)[number];

/**
 * What really runs the servers of the built-in panel. No call throws, and none may run inside a database transaction;
 * each may be repeated after an answer that was lost.
 */
export interface Runtime {
  /** Makes a server, or brings it to what it shall be; an older revision than it has changes nothing. */
  put(spec: RuntimeSpec): Promise<PanelAnswer<RuntimeServer>>;
  /** Every server it has. */
  list(): Promise<PanelAnswer<readonly RuntimeServer[]>>;
  read(id: string): Promise<PanelAnswer<RuntimeServer>>;
  /**
   * Answers when the signal was taken, not when it has had its effect. `conflict` while another is being carried out;
   * `kill` is taken then as well.
   */
  power(id: string, signal: RuntimeSignal): Promise<PanelAnswer<null>>;
  /**
   * The lines of its console behind a number (0: from the oldest that is kept). Waits up to `waitMs` where there are
   * none yet, unless `signal` says that nobody wants them any more: then it is `unknown` what there is.
   */
  console(id: string, after: number, waitMs: number, signal?: AbortSignal): Promise<PanelAnswer<ConsolePart>>;
  /**
   * Writes a line of text without control characters, 1 to 1000 characters, into its standard input. `conflict` while
   * it does not run or does not read.
   */
  command(id: string, text: string): Promise<PanelAnswer<null>>;
  /** Works on its files; `conflict` while it is installed or suspended. */
  readonly files: PanelFiles;
  /** Its backups; `conflict` also while something else is done with it. */
  readonly backups: PanelBackups;
  /** The machine. In: bytes of disk that it keeps free from now on; null: as before. */
  machine(reserve: number | null): Promise<PanelAnswer<RuntimeMachine>>;
  /**
   * Begins to stop every server, and starts none until it is called with `false`: then those that ran start again, a
   * few at a time. It holds across restarts of the machine.
   */
  maintain(isOn: boolean): Promise<PanelAnswer<null>>;
  /** Ends it and deletes everything of it. `unavailable` while something is left; a server it does not have is gone. */
  remove(id: string): Promise<PanelAnswer<null>>;
}
