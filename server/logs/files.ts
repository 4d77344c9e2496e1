import { open, type FileHandle } from 'node:fs/promises';
import { LOG_LEVELS, LOG_PLACE, type LineLevel } from '#shared/logs.ts';
import { createLogWriter, listLogFiles, LOG_BOUNDS, type LogBounds, type LogFile, type LogFileKind } from './writer.ts';

/** A line that the log wrote. */
interface StoredLine {
  /** Its place (`LOG_PLACE`). */
  readonly id: string;
  readonly atMs: number;
  readonly level: LineLevel;
  /** As it stands in JSON. */
  readonly event: string;
  /** The whole line, as JSON; cut where it is very long. */
  readonly text: string;
}
/** What lines are looked for. */
export interface LineQuery {
  /** This level and those above it. */
  readonly level: LineLevel;
  /** Part of the line, in upper or lower case. */
  readonly text?: string | undefined;
  readonly requestId?: string | undefined;
  /** Only lines before this place… */
  readonly before?: string | undefined;
  /** …or none before this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}
/** Lines that were found, the newest first, and the place behind the last line of the log. */
export interface FoundLines {
  readonly lines: readonly StoredLine[];
  readonly end: string | null;
}
/** The log in files of the data folder, where it survives a restart. */
export interface LogFiles {
  /** Takes whole lines, and once more those of them that are warnings or errors. */
  write(lines: string, warnings: string): void;
  /** From now on files are made. */
  begin(): void;
  list(query: LineQuery): Promise<FoundLines>;
  /** Writes what waits, and closes the files. */
  close(): Promise<void>;
}
interface Place {
  readonly kind: LogFileKind;
  readonly startMs: number;
  readonly offset: number;
}
interface Options {
  readonly folder: string;
  readonly now: () => number;
  readonly bounds?: LogBounds;
}

/** Bytes that are read at once: what is made of them keeps the answering thread for less than a millisecond. */
const SLICE = 128 * 1024;
/** Characters that are shown of a line, and bytes after which what has no line break is no line. */
const LINE_MAX = 8 * 1024;
const BROKEN = 1024 ** 2;
/** How a line begins. */
const BEGINNING = /^\{"at":(\d{1,15}),"level":"(\w{4,5})","event":"((?:[^"\\]|\\.)*)"/;
/** The page of the log asks every second while it follows: it does not follow itself. */
const OWN = '"path":"/api/admin/logs"';

/** The log in a folder. Its lines are read backwards in slices, so that searching all of it holds up nobody. */
export function createLogFiles({ folder, now, bounds = LOG_BOUNDS }: Options): LogFiles {
  const all = createLogWriter({ folder, kind: 'all', bounds, now });
  const warnings = createLogWriter({ folder, kind: 'warnings', bounds, now });
  return {
    write(lines, important) {
      all.write(lines);
      if (important !== '') warnings.write(important);
    },
    begin() {
      all.begin();
      warnings.begin();
    },
    async list(query) {
      await Promise.all([all.settled(), warnings.settled()]);
      const filter = createFilter(query);
      const kind = query.level === 'warn' || query.level === 'error' ? 'warnings' : 'all';
      const after = toPlace(query.after);
      const lines: StoredLine[] = [];
      for await (const line of newestFirst(folder, kind, { filter, before: toPlace(query.before), after })) {
        lines.push(line);
        if (lines.length === query.limit) break;
      }
      return { lines, end: await endOf(folder, kind) };
    },
    async close() {
      await Promise.all([all.close(), warnings.close()]);
    },
  };
}

function toPlace(text: string | undefined): Place | null {
  const [, kind, start, offset] = LOG_PLACE.exec(text ?? '') ?? [];
  return kind === undefined ? null : { kind: kind as LogFileKind, startMs: Number(start), offset: Number(offset) };
}
const toId = ({ kind, startMs }: Omit<LogFile, 'path'>, offset: number): string => `${kind}-${startMs}.${offset}`;

/** The place behind the last line of a kind; null where there is no file of it. */
async function endOf(folder: string, kind: LogFileKind): Promise<string | null> {
  const last = (await listLogFiles(folder, kind)).at(-1);
  return last ? toId(last, Bun.file(last.path).size) : null;
}

interface Filter {
  /** Whether there may be a line in a text of many that fits. */
  mayHold(text: string): boolean;
  fits(line: StoredLine): boolean;
}
function createFilter({ level, text = '', requestId }: LineQuery): Filter {
  const pattern = text === '' ? null : new RegExp(RegExp.escape(text), 'i');
  const mark = requestId === undefined ? '' : `"request_id":"${requestId}"`;
  const least = LOG_LEVELS.indexOf(level);
  const mayHold = (held: string) => held.includes(mark) && (pattern === null || pattern.test(held));
  return {
    mayHold,
    fits: (line) =>
      LOG_LEVELS.indexOf(line.level) >= least &&
      mayHold(line.text) &&
      !(line.event === 'http.request' && line.text.includes(OWN)),
  };
}

interface Walk {
  readonly filter: Filter;
  readonly before: Place | null;
  readonly after: Place | null;
}

/** The lines of a kind, the last one first; where all lines are gone, the warnings and errors from before them. */
async function* newestFirst(
  folder: string,
  kind: LogFileKind,
  { filter, before, after }: Walk,
): AsyncGenerator<StoredLine> {
  let first = Number.POSITIVE_INFINITY;
  if (before?.kind !== 'warnings' || kind === 'warnings') {
    const files = await listLogFiles(folder, kind);
    for (const file of files.toReversed()) {
      if (before && file.startMs > before.startMs) continue;
      if (after && file.startMs < after.startMs) return;
      const until = before?.startMs === file.startMs ? before.offset : undefined;
      const from = after?.startMs === file.startMs ? after.offset : 0;
      yield* linesOf(file, { filter, from, until });
    }
    if (kind === 'warnings' || after) return;
    first = (await firstMoment(files[0])) ?? first;
  }
  for await (const line of newestFirst(folder, 'warnings', {
    filter,
    before: before?.kind === 'warnings' ? before : null,
    after: null,
  }))
    if (line.atMs < first) yield line;
}

/** When the first line of a file was written. */
async function firstMoment(file: LogFile | undefined): Promise<number | null> {
  if (!file) return null;
  const head = await Bun.file(file.path)
    .slice(0, 30)
    .text()
    .catch(() => '');
  const at = /^\{"at":(\d+)/.exec(head)?.[1];
  return at === undefined ? null : Number(at);
}

/** The lines of a file between two bytes that fit, the last one first. Of a file that is gone meanwhile there are none. */
async function* linesOf(file: LogFile, range: { filter: Filter; from: number; until: number | undefined }) {
  const handle = await open(file.path).catch(() => null);
  if (!handle) return;
  try {
    let at = range.until ?? (await handle.stat()).size;
    // The end of a line whose beginning is further in front.
    let rest = Buffer.alloc(0);
    while (at > range.from) {
      const from = Math.max(range.from, at - SLICE);
      const bytes = Buffer.concat([await readAt(handle, from, at - from), rest]);
      const begins = from === range.from ? 0 : bytes.indexOf('\n') + 1;
      const isWithin = from > range.from && begins === 0;
      rest = isWithin && bytes.length > BROKEN ? Buffer.alloc(0) : bytes.subarray(0, isWithin ? bytes.length : begins);
      if (!isWithin) yield* wantedLines(file, bytes.toString('utf8', begins), from + bytes.length, range.filter);
      at = from;
    }
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** The lines of a text that fit, the last one first. `end`: the byte of the file behind the text. */
function* wantedLines(file: LogFile, text: string, end: number, filter: Filter): Generator<StoredLine> {
  if (!filter.mayHold(text)) return;
  let behind = end;
  for (const whole of text.split('\n').toReversed()) {
    const offset = behind - Buffer.byteLength(whole);
    behind = offset - 1;
    const [beginning, at, level, event = ''] = BEGINNING.exec(whole) ?? [];
    const known = LOG_LEVELS.find((each) => each === level);
    if (beginning === undefined || !known) continue;
    const shown = whole.length > LINE_MAX ? `${whole.slice(0, LINE_MAX)}…` : whole;
    const line = { id: toId(file, offset), atMs: Number(at), level: known, event, text: shown };
    if (filter.fits(line)) yield line;
  }
}
