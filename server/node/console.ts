import { readSync } from 'node:fs';
import type { ConsoleLine, ConsolePart } from '#server/modules/servers/index.ts';

/** Bytes a second that are taken in from one server, and how many at once; beyond it the pipe fills and it waits. */
const PACE = 4_194_304;
const BURST = 8_388_608;
/** What a line costs beside its bytes: a flood of empty lines is no cheaper than one of long ones. */
const LINE_COST = 256;
const MAX_LINE = 8192;

/** What is kept of a console, in lines and characters; the oldest go first. */
const MOST_LINES = 2000;
const MOST_TEXT = 524_288;
/** What one answer holds at most. */
const PART_LINES = 400;
const PART_TEXT = 131_072;
/** Lines are numbered from the time on at which the node began, so that no number comes again after a restart. */
const NUMBERS_PER_MS = 4096;
/** So many may wait for a line at once. */
const MOST_WAITING = 200;

/** Control characters, and those that turn the direction of text. */
const UNSEEN = '\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069';
const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`);
/** Colours (kept), other sequences of terminals, what is left of either. */
const SEQUENCES = new RegExp(
  `(\\u001b\\[[0-9;]{0,32}m)|\\u001b\\[[0-?]*[ -/]*[@-~]?|\\u001b\\][^\\u0007\\u001b]*\\u0007?|\\u001b[^[\\]]|[${UNSEEN}]`,
  'g',
);
/** A line as it may be shown: of all sequences and control characters only colours stay. */
export function cleanLine(text: string): string {
  return HAS_UNSEEN.test(text) ? text.replaceAll(SEQUENCES, (_, colour: string | undefined) => colour ?? '') : text;
}

/** Bytes to lines. A line without an end is cut, so that it cannot grow; what is no UTF-8 becomes U+FFFD. */
function createLines(onLine: (line: string) => void): (chunk: Uint8Array) => number {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?=[^\n])/);
    rest = parts.pop() ?? '';
    for (const part of parts) onLine(part.slice(0, MAX_LINE));
    if (rest.length > MAX_LINE) {
      onLine(rest.slice(0, MAX_LINE));
      rest = '';
    }
    return parts.length;
  };
}

/** Who reads a console. */
export interface ConsoleReader {
  /** Reads what is left of one that nobody writes to any more, and ends: the next reader has the pipe for itself. */
  end(): Promise<void>;
}
const PART = 65_536;
/** More than the kernel keeps of what nobody reads. */
const MOST_PARTS = 32;
/** What a pipe has now; null: nothing. */
function readPart(pipe: number): Uint8Array | null {
  const chunk = new Uint8Array(PART);
  try {
    const size = readSync(pipe, chunk);
    return size > 0 ? chunk.subarray(0, size) : null;
  } catch {
    return null;
  }
}
/** How long nothing has to come until nothing is left, and how long that is waited for at most. */
const QUIET_MS = 20;
const REST_MS = 500;

/**
 * Reads what a server writes, at a bounded pace: who writes too much waits, and costs nobody else anything. It has a
 * number of its own for the pipe, so that closing the pipe does not end it. In: the pipe, and what is done with each
 * line.
 */
export function readConsole(pipe: number, onLine: (line: string) => void): ConsoleReader {
  const take = createLines(onLine);
  const reader = Bun.file(pipe).stream().getReader();
  let left = BURST;
  let lastMs = performance.now();
  async function read(): Promise<void> {
    for (;;) {
      const { value: chunk } = await reader.read();
      if (!chunk) return;
      const nowMs = performance.now();
      left = Math.min(BURST, left + ((nowMs - lastMs) / 1000) * PACE) - chunk.length;
      lastMs = nowMs;
      left -= take(chunk) * LINE_COST;
      await Bun.sleep(left < 0 ? Math.min(1000, (-left / PACE) * 1000) : 0);
    }
  }
  // Whatever ends it, there is nothing more to read.
  void read().catch(() => undefined);
  return {
    async end() {
      for (let waited = 0; waited < REST_MS; waited += QUIET_MS) {
        await Bun.sleep(QUIET_MS);
        if (performance.now() - lastMs >= QUIET_MS) break;
      }
      await reader.cancel().catch(() => undefined);
      // It may not even have begun to read what a short run wrote.
      for (let part = 0; part < MOST_PARTS; part += 1) {
        const chunk = readPart(pipe);
        if (!chunk) return;
        take(chunk);
      }
    },
  };
}

/** The last lines of one server, in memory. Readers have a number in it and no queue: a slow one misses lines. */
export class ConsoleLines {
  private readonly now: () => number;
  private lines: ConsoleLine[] = [];
  private size = 0;
  private next: number;
  private readonly waiting = new Set<() => void>();

  constructor(now: () => number) {
    this.now = now;
    this.next = now() * NUMBERS_PER_MS;
  }
  add(kind: ConsoleLine['kind'], text: string): void {
    const line = { seq: this.next, atMs: this.now(), kind, text: kind === 'state' ? text : cleanLine(text) };
    this.next += 1;
    this.lines.push(line);
    this.size += line.text.length;
    let gone = 0;
    while (this.lines.length - gone > MOST_LINES || this.size > MOST_TEXT) {
      this.size -= this.lines[gone]?.text.length ?? 0;
      gone += 1;
    }
    // Seldom, because moving all of them for each line of a flood costs.
    if (gone > 0) this.lines = this.lines.slice(Math.min(this.lines.length - 1, gone + MOST_LINES / 10));
    this.size = gone > 0 ? this.lines.reduce((sum, each) => sum + each.text.length, 0) : this.size;
    for (const onLine of this.waiting) onLine();
    this.waiting.clear();
  }
  /**
   * The lines behind a number (0: from the oldest on). Waits up to `waitMs` where there are none, or until `signal`
   * says that the reader has left.
   */
  async read(after: number, waitMs: number, signal?: AbortSignal): Promise<ConsolePart> {
    if (after === this.next - 1 && waitMs > 0 && this.waiting.size < MOST_WAITING) await this.line(waitMs, signal);
    const first = this.lines[0]?.seq ?? this.next;
    // A number that is none of ours: it comes from before a clock was set back.
    const isForeign = after >= this.next;
    const from = isForeign ? 0 : Math.max(0, after + 1 - first);
    const lines: ConsoleLine[] = [];
    let size = 0;
    for (const line of this.lines.slice(from, from + PART_LINES)) {
      size += line.text.length;
      if (size > PART_TEXT && lines.length > 0) break;
      lines.push(line);
    }
    return { lines, gap: after > 0 && (isForeign || after + 1 < first) && lines.length > 0 };
  }
  private line(waitMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const onLine = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.delete(onLine);
        onLine();
      };
      const timer = setTimeout(leave, waitMs);
      this.waiting.add(onLine);
      signal?.addEventListener('abort', leave, { once: true });
      if (signal?.aborted) leave();
    });
  }
}
