import * as z from 'zod/mini';
import type { Log } from '#server/modules/kernel.ts';
import { FILE_REFUSALS } from '#shared/schemas/server-files.ts';
import type { CallAnswer, CallRequest } from '../call-socket.ts';
import { endHelper, prepareHelper } from '../sandbox/helper.ts';
import type { Store } from '../store.ts';
import { programText } from '../bundle.ts' with { type: 'macro' };
import { PROGRAM_CALLS, type ProgramCall } from './calls.ts';
import { encodeFrame, framesOf } from './frame.ts';

/** What the program may use: MB, percent of one core, processes. It holds eight parts of files at most. */
const LIMITS = { memory: 256, cpu: 100, processes: 64 };
const KILL_MS = 5000;
const MB = 1_048_576;
const BUN = '/opt/spawnpoint/bun';
const HOME = '/home/container';
const PROGRAM = programText('file-manager');

export type FileRequest = CallRequest<ProgramCall>;
/** The server that a call is about: its slot, and the MB that its files may take. */
export interface FilesOf {
  readonly id: string;
  readonly slot: number;
  readonly disk: number;
}
export type FileAnswer = CallAnswer;

/** What the program says: it is trusted no more than the server whose user it is. */
const saidSchema = z.union([
  z.object({ no: z.int(), value: z.unknown(), reason: z.optional(z.undefined()) }),
  z.object({ no: z.int(), reason: z.nullable(z.enum(FILE_REFUSALS)), fault: z.string() }),
]);

/** The group of the program. */
const groupOfFiles = (id: string) => `${id}.files`;

/** Ends what works on the files of a server, whoever began it. Out: whether nothing of it is left. */
export const endFiles = (groups: 1 | 2, id: string): Promise<boolean> => endHelper(groups, groupOfFiles(id));

interface Waiting {
  readonly call: ProgramCall;
  readonly done: (answer: FileAnswer) => void;
}
export type FilesProgram = Awaited<ReturnType<typeof beginFiles>>;

/**
 * Begins the program that works on the files of a server, in a sandbox like the server's own: its user, its folder, no
 * network. Nothing of that folder is ever opened out here. Throws where the machine cannot begin it.
 */
export async function beginFiles(
  { store, groups, bun, log }: { store: Store; groups: 1 | 2; bun: string; log: Log },
  { id, slot, disk }: FilesOf,
) {
  const run = store.files(id);
  const { command, group } = await prepareHelper(
    { groups, bun },
    {
      group: groupOfFiles(id),
      run,
      folder: store.at(id),
      slot,
      limits: LIMITS,
      fileBytes: disk * MB,
      argv: [BUN, '/opt/spawnpoint/files.js', HOME],
      env: {
        PATH: '/usr/bin:/bin',
        HOME: '/tmp',
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        BUN_BE_BUN: '1',
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
      },
      inside: { 'files.js': PROGRAM },
    },
  );
  const child = Bun.spawn(command, {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: Bun.file(`${run}/launch.log`),
  });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let isOver = false;

  function handleAnswer(head: unknown, bytes: Uint8Array): void {
    const said = saidSchema.safeParse(head);
    const asked = said.success ? waiting.get(said.data.no) : undefined;
    if (!said.success || !asked) return;
    waiting.delete(said.data.no);
    if (said.data.reason !== undefined) {
      if (said.data.reason === null)
        log.error('node.files_failed', { server: id, call: asked.call, error: said.data.fault });
      asked.done(said.data.reason === null ? { outcome: 'unknown' } : { outcome: 'refused', reason: said.data.reason });
      return;
    }
    const value = PROGRAM_CALLS[asked.call].output.safeParse(said.data.value);
    asked.done(value.success ? { outcome: 'ok', value: value.data, bytes } : { outcome: 'unknown' });
  }
  async function sendFrame(frame: Uint8Array): Promise<void> {
    try {
      await child.stdin.write(frame);
      await child.stdin.flush();
    } catch {
      // It has ended, and its calls with it.
    }
  }
  let ending: Promise<void> | null = null;
  /** Whoever asks again waits for the same end. */
  const end = (): Promise<void> => (ending ??= finish());
  async function finish(): Promise<void> {
    isOver = true;
    for (const { done } of waiting.values()) done({ outcome: 'unknown' });
    waiting.clear();
    await group.kill(KILL_MS);
    await group.remove();
  }
  async function listen(): Promise<void> {
    try {
      for await (const { head, bytes } of framesOf(child.stdout)) handleAnswer(head, bytes);
    } catch (error) {
      log.warn('node.files_unreadable', { server: id, error: String(error) });
    }
    await end();
  }
  void listen();

  return {
    isOver: () => isOver,
    /** Calls that it has not answered yet. */
    busy: () => waiting.size,
    /** Carries out a call, for so many ms at most. */
    ask({ call, input, bytes }: FileRequest, ms: number): Promise<FileAnswer> {
      last += 1;
      const no = last;
      const answer = new Promise<FileAnswer>((done) => waiting.set(no, { call, done }));
      // It waits for what does not come, such as a disk that does not answer: nothing more of it is believed.
      const timer = setTimeout(() => void end(), ms);
      void sendFrame(encodeFrame({ head: { no, call, input, limit: disk * MB }, bytes }));
      return answer.finally(() => clearTimeout(timer));
    },
    end,
  };
}
