import type { HookCall, HookGroup } from '#server/modules/plugins/engine-ports.ts';

/** What the product and a plugin's thread say to each other. Everything that crosses is text. */
export type ToThread =
  | { readonly kind: 'load'; readonly code: string; readonly limits: SandboxLimits }
  /**
   * Runs hooks, one after the other, up to the first that does not end well; their calls are numbered from `first` on.
   * A message costs more than most hooks, so that many events are one.
   */
  | { readonly kind: 'run'; readonly first: number; readonly group: HookGroup; readonly calls: readonly HookCall[] }
  /** Nobody waits any more for what follows a call. */
  | { readonly kind: 'drop'; readonly call: number }
  /** Answers what the plugin asked for: JSON, or the code of what went wrong. */
  | { readonly kind: 'answer'; readonly ask: number; readonly json?: string; readonly fault?: string };
export type FromThread =
  /** The module was read; its hooks by group, and the system's number of the thread, '' where it has none to say. */
  | { readonly kind: 'loaded'; readonly hooks: Readonly<Record<HookGroup, readonly string[]>>; readonly thread: string }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'done'; readonly call: number; readonly json: string }
  | { readonly kind: 'failed'; readonly call: number; readonly fault: SandboxFault; readonly message: string }
  | { readonly kind: 'ask'; readonly ask: number; readonly call: number; readonly what: string; readonly json: string };

/** Kinds of hooks, in the order in which a module is asked for them. */
export const HOOK_GROUPS: readonly HookGroup[] = ['events', 'endpoints', 'tasks'];

/** `threw`: the plugin's own error; `late`: it took too long; `memory`: it asked for too much; `answer`: too large. */
export type SandboxFault = 'threw' | 'late' | 'memory' | 'answer' | 'missing';

export interface SandboxLimits {
  /** Bytes that a plugin may fill. */
  readonly memory: number;
  /** Bytes of its stack. */
  readonly stack: number;
  /** Milliseconds of a processor that one call may have, all its parts together. */
  readonly computeMs: number;
  /** Characters of JSON that a call may answer, and that it may say in one question. */
  readonly answer: number;
}
