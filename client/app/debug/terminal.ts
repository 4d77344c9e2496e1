import { journal } from '#client/lib/journal.ts';
import { maskText } from '#client/lib/mask.ts';
import { safeStorage } from '#client/lib/storage.ts';
import { runCode, type Outcome } from './run.ts';

/** One piece of typed code and what came of it. */
export interface Command {
  readonly id: number;
  /** Milliseconds since the page was born. */
  readonly atMs: number;
  readonly code: string;
  /** Null: still running. `help`: asked for what the terminal can do. */
  readonly outcome: Outcome | 'help' | null;
}

export interface Terminal {
  /** Oldest first. */
  commands(): readonly Command[];
  run(code: string): Promise<void>;
  /** Empties the console: what was run, and what was printed. */
  clear(): void;
  /** What was run before, oldest first; a piece that came twice in a row stands once. */
  history(): readonly string[];
  subscribe(listener: () => void): () => void;
}

const HISTORY_KEY = 'debug-history';
/** A browser that has no room, or allows none, forgets what was typed; the terminal works all the same. */
const storage = safeStorage(() => sessionStorage);
const MAX_HISTORY = 50;
const MAX_COMMANDS = 100;

function storedHistory(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(HISTORY_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Words of the terminal's own; they come before names of the page. Written as a call they mean the same. */
const BUILT_IN_COMMAND = /^\s*(help|clear)\s*(\(\s*\))?[\s;]*$/;

/**
 * A terminal with what was typed in this tab. The stored history is masked; only the page's own memory knows the code
 * as it was typed.
 */
export function createTerminal(
  run: (code: string) => Promise<Outcome> = runCode,
  elapsedMs: () => number = () => performance.now(),
): Terminal {
  let id = 0;
  let commands: readonly Command[] = [];
  let history = storedHistory();
  const listeners = new Set<() => void>();
  const set = (next: readonly Command[]) => {
    commands = next.slice(-MAX_COMMANDS);
    listeners.forEach((listener) => listener());
  };
  const clear = () => {
    journal.clear('lines');
    set([]);
  };
  return {
    commands: () => commands,
    history: () => history,
    clear,
    run: async (code) => {
      id += 1;
      const own = id;
      if (history.at(-1) !== code) history = [...history, code].slice(-MAX_HISTORY);
      storage.setItem(HISTORY_KEY, JSON.stringify(history.map(maskText)));
      const word = BUILT_IN_COMMAND.exec(code)?.[1];
      if (word === 'clear') return clear();
      set([...commands, { id: own, atMs: elapsedMs(), code, outcome: word === 'help' ? 'help' : null }]);
      if (word === 'help') return;
      const outcome = await run(code);
      set(commands.map((command) => (command.id === own ? { ...command, outcome } : command)));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
