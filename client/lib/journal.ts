/**
 * Records what happened in this page since it loaded: requests, errors, console lines. The debug panel reads it, and is
 * loaded only when opened. Bounded, in memory only; secrets are masked before they get here (shared/mask.ts).
 */
export interface RequestEntry {
  readonly id: number;
  /** Milliseconds since the page loaded. */
  readonly atMs: number;
  readonly url: string;
  readonly method: string;
  /** Null: no answer has come (yet). */
  readonly status: number | null;
  /** The status text, or why there was no response. */
  readonly statusText: string;
  readonly requestBody: string;
  readonly responseBody: string;
  /** The server's id of the request, for support; empty where it sent none. */
  readonly requestId: string;
  /** Time until the response began; null while it is pending. */
  readonly tookMs: number | null;
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
export type JournalPart = 'requests' | 'errors' | 'lines';
type Without<T> = Omit<T, 'id' | 'atMs'>;
type Stamp = { readonly id: number; readonly atMs: number };

export interface Journal {
  /** Records a request. Out: its id, for `answer`. */
  request(entry: Without<RequestEntry>): number;
  /** Adds what became known about a request later. */
  answer(id: number, more: Partial<Without<RequestEntry>>): void;
  error(entry: Without<ErrorEntry>): void;
  /** A line of the console; `start` marks a step of the start-up order (specification, section 2). */
  line(level: ConsoleEntry['level'], text: string): void;
  /** Newest first. */
  requests(): readonly RequestEntry[];
  errors(): readonly ErrorEntry[];
  lines(): readonly ConsoleEntry[];
  clear(part: JournalPart): void;
  /** Which parts are recorded; all by default. */
  recorded(): Readonly<Record<JournalPart, boolean>>;
  record(part: JournalPart, on: boolean): void;
  /** Listeners are notified soon after a change, once for several. */
  subscribe(listener: () => void): () => void;
}

/** Entries kept of each kind. */
const MAX_ENTRIES = 200;

/** A journal with its own clock. In: milliseconds since the page loaded. */
export function createJournal(elapsedMs: () => number): Journal {
  let id = 0;
  let announced = true;
  let requests: readonly RequestEntry[] = [];
  let errors: readonly ErrorEntry[] = [];
  let lines: readonly ConsoleEntry[] = [];
  let recorded: Record<JournalPart, boolean> = { requests: true, errors: true, lines: true };
  const listeners = new Set<() => void>();
  // Deferred, because a line may be recorded while React renders, when no state may change.
  const announce = () => {
    if (announced)
      queueMicrotask(() => {
        announced = true;
        listeners.forEach((listener) => listener());
      });
    announced = false;
  };
  const add = <T extends object>(part: JournalPart, list: readonly (T & Stamp)[], entry: T): readonly (T & Stamp)[] => {
    id += 1;
    if (!recorded[part]) return list;
    announce();
    return [{ ...entry, id, atMs: elapsedMs() }, ...list.slice(0, MAX_ENTRIES - 1)];
  };
  return {
    request: (entry) => {
      requests = add('requests', requests, entry);
      return id;
    },
    answer: (id, more) => {
      requests = requests.map((entry) => (entry.id === id ? { ...entry, ...more } : entry));
      announce();
    },
    error: (entry) => void (errors = add('errors', errors, entry)),
    line: (level, text) => void (lines = add('lines', lines, { level, text })),
    requests: () => requests,
    errors: () => errors,
    lines: () => lines,
    clear: (part) => {
      if (part === 'requests') requests = [];
      else if (part === 'errors') errors = [];
      else lines = [];
      announce();
    },
    recorded: () => recorded,
    record: (part, on) => {
      recorded = { ...recorded, [part]: on };
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
