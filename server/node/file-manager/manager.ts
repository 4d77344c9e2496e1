import { FILE_CALLS } from '#shared/schemas/server-files.ts';
import type { Log } from '#server/modules/kernel.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { ConfigFile } from '#shared/config-files.ts';
import type { Store } from '../store.ts';
import { PROGRAM_CALLS, type ConfigProblem } from './calls.ts';
import { beginFiles, endFiles, type FileAnswer, type FileRequest, type FilesOf, type FilesProgram } from './process.ts';
import { createWorks } from './works.ts';

export type { FileAnswer, FileRequest } from './process.ts';

interface Deps {
  readonly store: Store;
  readonly groups: 1 | 2;
  readonly bun: string;
  readonly log: Log;
}
/** A program that nobody has called for so long ends. */
const IDLE_MS = MINUTE;
/** A call that takes longer ends its program: the longest deletes or counts very many files. */
const CALL_MS = MINUTE;
/** The same before a start, which waits for it. */
const CONFIGURE_MS = 20 * SECOND;
const PAUSE_MS = 200;
/** Programs at once, and calls at once of one server: each may hold a part of a file. */
const MOST_PROGRAMS = 24;
const MOST_CALLS = 8;

interface Open {
  readonly program: FilesProgram;
  /** The limit of its files that it was begun with. */
  readonly disk: number;
  timer: ReturnType<typeof setTimeout>;
}

/** Ends programs. The next one of a server begins when nothing of the last is left: they have one group. */
function closerOf(programs: Map<string, Open>) {
  const closing = new Map<string, Promise<void>>();
  return {
    closed: (id: string): Promise<void> | undefined => closing.get(id),
    close(id: string, open: Open): Promise<void> {
      clearTimeout(open.timer);
      if (programs.get(id) === open) programs.delete(id);
      const end = open.program.end().finally(() => {
        if (closing.get(id) === end) closing.delete(id);
      });
      closing.set(id, end);
      return end;
    },
  };
}

export type FileManager = ReturnType<typeof createFileManager>;

/** Files of servers: a program each, begun when one is asked for and ended when nobody asks any more. */
export function createFileManager(deps: Deps) {
  /** In the order in which they were called last. */
  const programs = new Map<string, Open>();
  const beginning = new Map<string, Promise<Open | null>>();
  const ending = new Set<string>();

  const { close, closed } = closerOf(programs);
  function idleTimer(id: string): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const open = programs.get(id);
      if (open && open.program.busy() === 0) void close(id, open);
      else if (open) open.timer = idleTimer(id);
    }, IDLE_MS).unref();
  }
  /** Makes room for one more. Out: false where all are busy. */
  async function closeIdle(): Promise<boolean> {
    if (programs.size + beginning.size <= MOST_PROGRAMS) return true;
    const idle = [...programs].find(([, { program }]) => program.busy() === 0);
    if (!idle) return false;
    await close(...idle);
    return true;
  }
  async function begin(of: FilesOf): Promise<Open | null> {
    if (!(await closeIdle())) return null;
    const open = { program: await beginFiles(deps, of), disk: of.disk, timer: idleTimer(of.id) };
    programs.set(of.id, open);
    return open;
  }
  async function opened(of: FilesOf): Promise<Open | null> {
    const { id } = of;
    await closed(id);
    const known = programs.get(id);
    if (known && (known.program.isOver() || (known.disk !== of.disk && known.program.busy() === 0)))
      await close(id, known);
    else if (known) {
      programs.delete(id);
      programs.set(id, known);
      return known;
    }
    return beginning.getOrInsertComputed(id, () => begin(of).finally(() => beginning.delete(id)));
  }
  const works = createWorks();

  async function ask(open: Open, of: FilesOf, request: FileRequest): Promise<FileAnswer> {
    if (request.call === 'pack' || request.call === 'unpack') return works.begin(open.program, of.id, request);
    const answer = await open.program.ask(request, request.call === 'configure' ? CONFIGURE_MS : CALL_MS);
    if (request.call !== 'list' || answer.outcome !== 'ok') return answer;
    const { work: _, ...list } = FILE_CALLS.list.output.parse(answer.value);
    const work = works.of(of.id);
    return { ...answer, value: work ? { ...list, work } : list };
  }
  async function call(of: FilesOf, request: FileRequest): Promise<FileAnswer> {
    if (ending.has(of.id)) return { outcome: 'not_found' };
    try {
      const open = await opened(of);
      if (!open || open.program.busy() >= MOST_CALLS) return { outcome: 'conflict' };
      clearTimeout(open.timer);
      open.timer = idleTimer(of.id);
      return await ask(open, of, request);
    } catch (error) {
      deps.log.error('node.files_failed', { server: of.id, error: String(error) });
      return { outcome: 'unavailable' };
    }
  }
  return {
    /** Carries out a call. `conflict` while too much else is asked for. Never throws. */
    call,
    /**
     * Brings configuration files of a server to their settings before it starts. Out: those that were left as they are.
     * Never throws.
     */
    async configure(of: FilesOf, files: readonly ConfigFile[]): Promise<readonly ConfigProblem[]> {
      const wasOpen = programs.has(of.id);
      const problems = await configuring(call, deps.log)(of, files);
      const open = programs.get(of.id);
      // After a restart of the machine all servers start: their programs would stay for a minute.
      if (!wasOpen && open?.program.busy() === 0) await close(of.id, open);
      return problems;
    },
    /** Ends what works on the files of a server that is deleted. Out: whether nothing of it is left. */
    async end(id: string): Promise<boolean> {
      ending.add(id);
      try {
        await beginning.get(id)?.catch(() => null);
        const open = programs.get(id);
        if (open) await close(id, open);
        works.forget(id);
        return await endFiles(deps.groups, id);
      } finally {
        ending.delete(id);
      }
    },
  };
}

/** Asks for that until somebody has time for it. */
const configuring =
  (call: (of: FilesOf, request: FileRequest) => Promise<FileAnswer>, log: Log) =>
  async (of: FilesOf, files: readonly ConfigFile[]): Promise<readonly ConfigProblem[]> => {
    const request = { call: 'configure', input: { files }, bytes: new Uint8Array() } as const;
    const untilMs = performance.now() + CONFIGURE_MS;
    let answer = await call(of, request);
    while (answer.outcome === 'conflict' && performance.now() < untilMs) {
      await Bun.sleep(PAUSE_MS);
      answer = await call(of, request);
    }
    if (answer.outcome === 'ok') return PROGRAM_CALLS.configure.output.parse(answer.value).problems;
    log.warn('node.configure_failed', { server: of.id, outcome: answer.outcome });
    return files.map(({ path }) => ({ path, reason: 'failed' }));
  };
