/**
 * What happened in this page since it was born: requests, errors, lines of the console. It is filled from the first moment and read by the debug panel,
 * which is loaded only when somebody opens it. Bounded; secrets are masked before anything gets here (client/lib/mask.ts).
 */
export interface RequestEntry {
  readonly id: number;
  /** Milliseconds since the page was born. */
  readonly atMs: number;
  readonly url: string;
  readonly method: string;
  /** null: no answer came. */
  readonly status: number | null;
  readonly statusText: string;
  readonly requestBody: string;
  readonly responseBody: string;
  readonly tookMs: number;
}
export interface ErrorEntry {
  readonly id: number;
  readonly atMs: number;
  /** Begins with "Unhandled Promise Rejection" or "Global Error" (specification, section 8). */
  readonly text: string;
  readonly stack: string;
}
export interface ConsoleEntry {
  readonly id: number;
  readonly atMs: number;
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'start';
  readonly text: string;
}
type Without<T> = Omit<T, 'id' | 'atMs'>;

export interface Journal {
  request(entry: Without<RequestEntry>): void;
  error(entry: Without<ErrorEntry>): void;
  /** A line of the console; `start` marks a step of the start-up order (specification, section 2). */
  line(level: ConsoleEntry['level'], text: string): void;
  /** Newest first. */
  requests(): readonly RequestEntry[];
  errors(): readonly ErrorEntry[];
  lines(): readonly ConsoleEntry[];
  clear(part: 'requests' | 'errors' | 'lines'): void;
  subscribe(listener: () => void): () => void;
}

/** Entries kept of each kind. */
const KEPT = 200;

/** A journal with its own clock. In: milliseconds since the page was born. */
export function createJournal(elapsedMs: () => number): Journal {
  let id = 0;
  let requests: readonly RequestEntry[] = [];
  let errors: readonly ErrorEntry[] = [];
  let lines: readonly ConsoleEntry[] = [];
  const listeners = new Set<() => void>();
  const announce = () => listeners.forEach((listener) => listener());
  const stamped = <T extends object>(entry: T) => ({ ...entry, id: (id += 1), atMs: elapsedMs() });
  return {
    request: (entry) => {
      requests = [stamped(entry), ...requests].slice(0, KEPT);
      announce();
    },
    error: (entry) => {
      errors = [stamped(entry), ...errors].slice(0, KEPT);
      announce();
    },
    line: (level, text) => {
      lines = [stamped({ level, text }), ...lines].slice(0, KEPT);
      announce();
    },
    requests: () => requests,
    errors: () => errors,
    lines: () => lines,
    clear: (part) => {
      if (part === 'requests') requests = [];
      else if (part === 'errors') errors = [];
      else lines = [];
      announce();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The journal of this page. */
export const journal: Journal = createJournal(() => performance.now());
