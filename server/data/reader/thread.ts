import { ReaderError } from '../faults.ts';
import type { Answering, Asking, Opening } from './protocol.ts';

/** Starts a reading thread. Named by the main entry, because in the binary a thread's file is found from there alone. */
export type SpawnReader = () => Worker;

/** How long a thread may take to open its file, and to end a statement that it was told to stop. */
const START_MS = 30_000;
const STOP_MS = 2000;

type Question = Asking extends infer Each ? (Each extends Asking ? Omit<Each, 'id'> : never) : never;
interface Pending {
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

/** A reading thread with its file open. */
export interface Thread {
  /** Asks; answers come in the order of the questions. Rejects with ReaderError. */
  ask(question: Question): Promise<unknown[]>;
  /** Tells the statement under way to stop, and every further one until the next view begins. */
  stop(): void;
  /**
   * Resolves when all that was asked is answered; a thread that does not stop in time is given up. Out: whether it can
   * go on.
   */
  settled(): Promise<boolean>;
  /** Gives the thread up: what it was asked is refused. */
  end(): void;
  readonly alive: boolean;
}

/**
 * Starts a thread and waits until it has opened the file. It is of no further use once it ended, however it ended;
 * `onEnd` hears of it with a reason where nobody asked for it. Rejects with ReaderError where it cannot start.
 */
export async function startThread(spawn: SpawnReader, path: string, onEnd: (reason: string) => void): Promise<Thread> {
  const flag = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const worker = spawn();
  const pending = new Map<number, Pending>();
  let alive = true;
  let last = 0;
  let idle: (() => void) | null = null;

  function gone(reason: string, wanted = false): void {
    if (!alive) return;
    alive = false;
    for (const { reject } of pending.values()) reject(new ReaderError(reason, null));
    pending.clear();
    idle?.();
    // Until SQLite answers the thread itself goes on; nobody hears of it any more.
    worker.terminate();
    if (!wanted) onEnd(reason);
  }
  worker.addEventListener('error', (event) => gone(`the reading thread failed: ${event.message}`));
  worker.addEventListener('close', () => gone('the reading thread ended'));
  worker.addEventListener('message', ({ data }: MessageEvent<Answering>) => take(data));
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => gone('the reading thread did not start in time'), START_MS);
    // The opening is the question with the number 0.
    pending.set(0, {
      resolve: () => (clearTimeout(late), resolve()),
      reject: (error) => (clearTimeout(late), reject(error)),
    });
    worker.postMessage({ path, flag } satisfies Opening);
  });

  function take(answer: Answering): void {
    const asked = pending.get(answer.id);
    if (!asked) return;
    pending.delete(answer.id);
    if (pending.size === 0) idle?.();
    if ('rows' in answer) asked.resolve(JSON.parse(answer.rows) as unknown[]);
    else asked.reject(new ReaderError(answer.fault, answer.code ?? 'SQLITE_ERROR'));
  }

  return {
    get alive() {
      return alive;
    },
    ask(question) {
      if (!alive) return Promise.reject(new ReaderError('the reading thread is gone', null));
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        worker.postMessage({ ...question, id });
      });
    },
    stop: () => void Atomics.store(new Int32Array(flag), 0, 1),
    async settled() {
      if (!alive || pending.size === 0) return alive;
      await new Promise<void>((resolve) => {
        const late = setTimeout(() => gone('a question could not be stopped', true), STOP_MS);
        idle = () => (clearTimeout(late), (idle = null), resolve());
      });
      return alive;
    },
    end: () => gone('the reading thread was ended', true),
  };
}
