import { journal } from '#client/lib/journal.ts';
import { maskText } from '#shared/mask.ts';
import { safeStorage } from '#client/lib/storage.ts';
import { runCode, type Outcome } from './run.ts';

/** A typed command and its outcome. */
export interface Command {
  readonly id: number;
  /** Milliseconds since the page loaded. */
  readonly atMs: number;
  readonly code: string;
  /** Null: still running. `help`: the help text. */
  readonly outcome: Outcome | 'help' | null;
}

export interface Terminal {
  /** Oldest first. */
  commands(): readonly Command[];
  run(code: string): Promise<void>;
  /** Clears commands and console lines. */
  clear(): void;
  /** Earlier commands, oldest first, without repeats in a row. */
  history(): readonly string[];
  subscribe(listener: () => void): () => void;
}

const HISTORY_KEY = 'debug-history';
/** Without storage the history is lost; the terminal works all the same. */
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

/** Built-in commands, also written as a call; they take precedence over names of the page. */
const BUILT_IN_COMMAND = /^\s*(help|clear)\s*(\(\s*\))?[\s;]*$/;

/** Creates a terminal with this tab's history. The stored history is masked; only memory has the code as typed. */
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
