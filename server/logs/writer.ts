import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '#shared/time.ts';

/** Every line, and once more those of warnings and errors: a busy hour washes the former away, but not the latter. */
export type LogFileKind = 'all' | 'warnings';
/** A file of the log: its name says its kind and when it was begun. */
export interface LogFile {
  readonly kind: LogFileKind;
  readonly path: string;
  /** UTC ms. */
  readonly startMs: number;
}
/** How much is kept. */
export interface LogBounds {
  /** Bytes after which a new file is begun; a day after its beginning it is in any case. */
  readonly fileBytes: number;
  /** Bytes of all files of each kind together. */
  readonly keptBytes: Readonly<Record<LogFileKind, number>>;
  readonly keptMs: number;
}
export const LOG_BOUNDS: LogBounds = {
  fileBytes: 4 * 1024 ** 2,
  keptBytes: { all: 64 * 1024 ** 2, warnings: 16 * 1024 ** 2 },
  keptMs: 14 * DAY,
};
/** Characters that may wait for a slow disk; what comes on top of them is lost, and the log says so. */
const WAITING_MAX = 8 * 1024 ** 2;
const NAME = /^(all|warnings)-(\d{1,15})\.jsonl$/;
const NEW_LINE = 10;

/** The files of one kind in a folder, the oldest first; none where there is no folder. */
export async function listLogFiles(folder: string, kind: LogFileKind): Promise<LogFile[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => {
      const [, found, start] = NAME.exec(name) ?? [];
      return found === kind ? [{ kind, path: join(folder, name), startMs: Number(start) }] : [];
    })
    .toSorted((a, b) => a.startMs - b.startMs);
}

interface Deps {
  readonly folder: string;
  readonly kind: LogFileKind;
  readonly bounds: LogBounds;
  readonly now: () => number;
}
/** Writes lines of one kind to files, beside everything else and in order. Never throws. */
interface LogWriter {
  /** Takes whole lines, each with its line break. */
  write(text: string): void;
  /** From now on files are made; what was taken before is written. */
  begin(): void;
  /** Resolves when everything that was taken is in the files, or could not be written. */
  settled(): Promise<void>;
  /** The same, and closes the file. */
  close(): Promise<void>;
}

/**
 * A writer of log files. The answering thread never waits for the disk; while that hangs lines wait in memory, at most
 * 8 million characters. What cannot be written is lost here (standard output has it), and the next file that can be
 * written says how much that was.
 */
export function createLogWriter({ folder, kind, bounds, now }: Deps): LogWriter {
  let waiting = '';
  let lost = 0;
  let file: { readonly handle: FileHandle; readonly startMs: number; bytes: number } | null = null;
  let hasBegun = false;
  let writing: Promise<void> | null = null;

  async function openFile(): Promise<NonNullable<typeof file>> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await deleteOldFiles(folder, kind, bounds, now());
    const last = (await listLogFiles(folder, kind)).at(-1);
    const size = last ? (await stat(last.path)).size : bounds.fileBytes;
    const goesOn = last !== undefined && size < bounds.fileBytes && now() - last.startMs < DAY;
    const startMs = goesOn ? last.startMs : Math.max(now(), (last?.startMs ?? 0) + 1);
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    const handle = await open(join(folder, `${kind}-${startMs}.jsonl`), O_APPEND | O_CREAT | O_RDWR, 0o600);
    const bytes = goesOn ? size : 0;
    // A process that was killed may have left half a line.
    const end = bytes === 0 ? null : (await handle.read(Buffer.alloc(1), 0, 1, bytes - 1)).buffer[0];
    if (end !== null && end !== NEW_LINE) await handle.appendFile('\n');
    return { handle, startMs, bytes };
  }
  async function closeFile(): Promise<void> {
    const open = file;
    file = null;
    await open?.handle.close().catch(() => undefined);
  }
  async function writeWaiting(): Promise<void> {
    while (waiting !== '') {
      const text = waiting;
      waiting = '';
      try {
        if (file && (file.bytes >= bounds.fileBytes || now() - file.startMs >= DAY)) await closeFile();
        file ??= await openFile();
        const note = lost === 0 ? '' : `{"at":${now()},"level":"warn","event":"log.lost","chars":${lost}}\n`;
        await file.handle.appendFile(note + text);
        file.bytes += Buffer.byteLength(note + text);
        if (note !== '') lost = 0;
      } catch {
        lost += text.length;
        await closeFile();
      }
    }
    writing = null;
  }
  const settled = () => writing ?? Promise.resolve();
  const start = () => {
    if (hasBegun && waiting !== '') writing ??= writeWaiting();
  };
  return {
    write(text) {
      if (waiting.length + text.length > WAITING_MAX) lost += text.length;
      else waiting += text;
      start();
    },
    begin() {
      hasBegun = true;
      start();
    },
    settled,
    async close() {
      await settled();
      // A line that comes later would open a file that nobody closes.
      hasBegun = false;
      await closeFile();
    },
  };
}

/** Deletes what is older than is kept, and the oldest of what is more than is kept. */
async function deleteOldFiles(folder: string, kind: LogFileKind, bounds: LogBounds, nowMs: number): Promise<void> {
  let bytes = 0;
  for (const { path, startMs } of (await listLogFiles(folder, kind)).toReversed()) {
    bytes += (await stat(path)).size;
    if (bytes > bounds.keptBytes[kind] - bounds.fileBytes || startMs < nowMs - bounds.keptMs)
      await rm(path, { force: true });
  }
}
