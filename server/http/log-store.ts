import { LOG_LEVELS, type LineLevel } from '#shared/logs.ts';

/** A line that the log wrote. */
export interface StoredLine {
  /** Counts up from 1 over all lines of this process. */
  readonly seq: number;
  readonly atMs: number;
  readonly level: LineLevel;
  readonly event: string;
  /** The whole line, as JSON. */
  readonly text: string;
}
/** What lines are looked for. */
export interface LineQuery {
  /** This level and those above it. */
  readonly level: LineLevel;
  /** Part of the line, in upper or lower case. */
  readonly text?: string | undefined;
  readonly requestId?: string | undefined;
  /** Only lines before this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}
/** The lines that this process wrote last. */
export interface LogStore {
  add(line: Omit<StoredLine, 'seq'>): void;
  /** The newest first. */
  list(query: LineQuery): StoredLine[];
}

/** Characters that are kept of each of the two kinds of lines, and of one line. */
const KEPT = 2 * 1024 * 1024;
const LINE_MAX = 8 * 1024;
/** The page of the log asks every few seconds while it follows: it does not follow itself. */
const OWN = '"path":"/api/admin/logs"';

/**
 * Keeps the last lines in memory, as many as fit: warnings and errors apart from the rest, so that a busy hour does not
 * wash them away. In: characters that are kept of each (2 M when absent).
 */
export function createLogStore(kept = KEPT): LogStore {
  const [important, rest] = [createRing(kept), createRing(kept)];
  let seq = 0;
  return {
    add({ atMs, level, event, text }) {
      if (event === 'http.request' && text.includes(OWN)) return;
      seq += 1;
      const ring = level === 'warn' || level === 'error' ? important : rest;
      ring.add({ seq, atMs, level, event, text: text.length > LINE_MAX ? `${text.slice(0, LINE_MAX)}…` : text });
    },
    list({ level, text = '', requestId, before = Number.POSITIVE_INFINITY, limit }) {
      const pattern = text === '' ? null : new RegExp(RegExp.escape(text), 'i');
      const mark = requestId === undefined ? null : `"request_id":"${requestId}"`;
      const least = LOG_LEVELS.indexOf(level);
      const found: StoredLine[] = [];
      for (const line of newestFirst(important, rest)) {
        if (found.length === limit) break;
        if (line.seq >= before || LOG_LEVELS.indexOf(line.level) < least) continue;
        if (mark !== null && !line.text.includes(mark)) continue;
        if (pattern === null || pattern.test(line.text)) found.push(line);
      }
      return found;
    },
  };
}

interface Ring {
  add(line: StoredLine): void;
  /** The n-th line from the end; undefined where there are not so many. */
  last(n: number): StoredLine | undefined;
}

/** Lines up to so many characters together: the oldest make room. */
function createRing(kept: number): Ring {
  const lines: StoredLine[] = [];
  let first = 0;
  let chars = 0;
  return {
    add(line) {
      lines.push(line);
      chars += line.text.length;
      while (chars > kept && first < lines.length - 1) {
        chars -= lines[first]?.text.length ?? 0;
        first += 1;
      }
      // What was let go of is taken away in one go, now and then.
      if (first > 1000 && first * 2 > lines.length) {
        lines.splice(0, first);
        first = 0;
      }
    },
    last: (n) => (lines.length - 1 - n < first ? undefined : lines[lines.length - 1 - n]),
  };
}

/** The lines of two rings in the order in which they were written, the last one first. */
function* newestFirst(a: Ring, b: Ring): Generator<StoredLine> {
  let [atA, atB] = [0, 0];
  for (;;) {
    const [lineA, lineB] = [a.last(atA), b.last(atB)];
    const next = (lineA?.seq ?? 0) > (lineB?.seq ?? 0) ? lineA : lineB;
    if (next === undefined) return;
    if (next === lineA) atA += 1;
    else atB += 1;
    yield next;
  }
}
