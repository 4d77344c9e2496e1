import type { PluginValue } from '#shared/plugins.ts';
import type { Granted, PackageContent } from './package-ports.ts';

/** A user as a plugin may read one. */
interface ReadUser {
  readonly id: string;
  readonly username: string;
  readonly locale: string;
  /** ISO 8601. */
  readonly createdAt: string;
}
/** A server as a plugin may read one. */
interface ReadServer {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly state: string;
}

/** What the product does for a plugin, each for one identifier alone. */
export interface GrantPorts {
  readonly storage: {
    get(key: string): Promise<string | null>;
    /** False, and nothing stored, where the plugin would keep more than it may. */
    set(key: string, json: string, limits: { readonly bytes: number; readonly keys: number }): Promise<boolean>;
    delete(key: string): Promise<void>;
    /** Keys that begin with a text, in their order, at most a hundred after one. */
    list(prefix: string, after: string): Promise<readonly string[]>;
  };
  /** Its settings, with secrets in clear. */
  settings(): Readonly<Record<string, PluginValue>>;
  readonly read: {
    /** Null: there is no such user. */
    user(id: string): Promise<ReadUser | null>;
    /** Null: there is no such server. */
    server(id: string): Promise<ReadServer | null>;
  };
  /** The product's way to services elsewhere. */
  readonly outbound: (url: string, init: RequestInit) => Promise<Response>;
  /** Pays from the budget of the day, once a reference. */
  pay(payment: {
    readonly userId: string;
    readonly amount: number;
    readonly reference: string;
    readonly budget: number;
  }): Promise<'paid' | 'before' | 'spent' | 'unknown'>;
  /** Notifies a user, once a key; false: there is no such user. */
  notifyUser(notification: { readonly userId: string; readonly text: string; readonly key: string }): Promise<boolean>;
  /**
   * Writes an e-mail to a user, once a key, if they want mails of plugins. `spent`: it wrote enough for a day;
   * `unknown`: there is no such user.
   */
  mailUser(mail: {
    readonly userId: string;
    readonly subject: string;
    readonly text: string;
    readonly key: string;
  }): Promise<'taken' | 'spent' | 'unknown'>;
  log(text: string): void;
  now(): number;
}

/** Kinds of hooks that a plugin may have. */
export type HookGroup = 'events' | 'endpoints' | 'tasks';
/**
 * What became of a hook. `threw`: the plugin's own error; `late`: it took too long; `memory`: it asked for too much;
 * `answer`: its answer is too large; `missing`: it has no such hook; `ended`: it does not run just now; `busy`: too
 * much is under way.
 */
export type CallResult =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly fault: 'threw' | 'late' | 'memory' | 'answer' | 'missing' | 'ended' | 'busy';
      readonly message: string;
    };
/** A hook to be run. */
export interface HookCall {
  readonly name: string;
  /** What the hook is called in plugins for earlier versions, where that was something else. */
  readonly formerName?: string | undefined;
  /** JSON. */
  readonly input: string;
}
/** `starting`, `waiting`: it broke down and is started again. `off`: it broke down for the fifth time. */
export type PluginState = 'starting' | 'running' | 'waiting' | 'off' | 'stopped';

/** A plugin that runs in its sandbox, or is about to. */
export interface RunningPlugin {
  state(): PluginState;
  /** How often it broke down in a row. */
  faults(): number;
  /**
   * Runs hooks, one after the other, up to the first that does not end well. Out: what became of those that were begun,
   * in their order. Never rejects.
   */
  run(group: HookGroup, calls: readonly HookCall[]): Promise<CallResult[]>;
  stop(): void;
}

/** Runs plugins apart from the product. */
export interface PluginEngine {
  start(plugin: {
    readonly code: string;
    readonly granted: Granted;
    readonly ports: GrantPorts;
    /** It broke down for the fifth time in a row and is not started again. */
    readonly onOff: (why: string) => void;
    /** Its state is another one. */
    readonly onState: () => void;
  }): RunningPlugin;
}

/** Why a package is refused. */
export type PackageFaultCode =
  | 'NOT_A_PACKAGE'
  | 'TOO_LARGE'
  | 'TOO_MANY_FILES'
  | 'BAD_PATH'
  | 'NO_MANIFEST'
  | 'BAD_MANIFEST'
  | 'MISSING_FILE'
  | 'BAD_SIGNATURE';
/** Reads packages, apart from the thread that answers. Never rejects. */
export interface PackageReader {
  read(bytes: Uint8Array<ArrayBuffer>): Promise<PackageContent | { readonly fault: PackageFaultCode }>;
}
