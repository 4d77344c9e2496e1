import type { Log } from '#server/modules/kernel.ts';
import type { LongRead } from '#server/modules/tx.ts';
import { MINUTE } from '#shared/time.ts';
import type { Session } from '../engine.ts';
import { ReaderError } from '../faults.ts';
import { inScope, newScope } from '../scope.ts';
import { sessionThrough } from '../session.ts';
import { createLanes, limitOf, READERS } from './lanes.ts';
import { startThread, type SpawnReader, type Thread } from './thread.ts';

/**
 * The condition that lets a statement be stopped (reader.worker.ts). It stands first in a WHERE, so that it is asked of
 * each row.
 */
const STOP_CONDITION = 'stop_asked() = 0';
/** Threads that may be started a minute in the place of those that broke down: more would be a loop. */
const STARTS_MAX = 5;

/** Long questions about a SQLite file, answered on threads of their own. */
interface ReadPool {
  /**
   * As LongReads.read, inside the file's tables. Rejects with ReaderError where the thread fails, with the signal's
   * reason where the caller left.
   */
  read<T>(work: (session: Session) => Promise<T>, options: LongRead): Promise<T>;
  /**
   * Copies the log back into the file as far as nobody reads it (a passive checkpoint), before all questions that wait.
   * Rejects with ReaderError where the thread fails.
   */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the pool; threads start when they are needed. In: how a thread is started, the file, a clock for the limit of
 * restarts.
 */
export function createReadPool({
  spawn,
  path,
  log,
  nowMs = () => performance.now(),
}: {
  spawn: SpawnReader;
  path: string;
  log: Log;
  nowMs?: () => number;
}): ReadPool {
  const lanes = createLanes(READERS);
  const threads = createThreads({ spawn, path, log, nowMs });
  const running = new Set<Promise<unknown>>();

  async function ask<T>(reader: Thread, work: (session: Session) => Promise<T>, options: LongRead): Promise<T> {
    const limitMs = limitOf(options);
    const scope = newScope('read');
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reader.stop();
    }, limitMs);
    const leave = () => reader.stop();
    try {
      await reader.ask({ what: 'begin' });
      options.signal?.addEventListener('abort', leave, { once: true });
      options.signal?.throwIfAborted();
      const session = sessionThrough(
        'sqlite',
        scope,
        async (sql, params) => ({
          rows: await reader.ask({ what: 'rows', sql, params: params as (string | number | null)[] }),
          changes: null,
        }),
        {
          stopCondition: STOP_CONDITION,
          text: (sql) => sql,
        },
      );
      return await inScope(scope, () => work(session), limitMs);
    } catch (error) {
      // Something may still be under way beside what failed.
      reader.stop();
      if (options.signal?.aborted) throw options.signal.reason;
      throw late ? new ReaderError(`a question took longer than ${limitMs} ms`, null) : error;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', leave);
      // The view ends after whatever is still under way: nothing, or a statement that was told to stop.
      void reader.ask({ what: 'end' }).catch(() => undefined);
      threads.release(reader, await reader.settled());
    }
  }

  /** Has a thread do something when there is room. */
  async function withThread<T>(
    entry: Parameters<typeof lanes.enter>[0],
    task: (reader: Thread) => Promise<T>,
  ): Promise<T> {
    const leave = await lanes.enter(entry);
    const answer = (async () => {
      try {
        return await task(await threads.acquire());
      } finally {
        leave();
      }
    })();
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  }

  return {
    read: (work, options) => withThread(options, (reader) => ask(reader, work, options)),
    checkpoint: () =>
      withThread({ for: 'checkpoint' }, async (reader) => {
        try {
          await reader.ask({ what: 'checkpoint' });
        } finally {
          threads.release(reader, reader.alive);
        }
      }),
    async close() {
      lanes.close();
      threads.stop();
      await Promise.allSettled(running);
      threads.end();
    },
  };
}

/** The pool's threads: started when they are needed, used again, and not started again and again. */
function createThreads({
  spawn,
  path,
  log,
  nowMs,
}: {
  spawn: SpawnReader;
  path: string;
  log: Log;
  nowMs: () => number;
}) {
  const free: Thread[] = [];
  const all = new Set<Thread>();
  let broken: number[] = [];
  return {
    /** A thread for one to use. Rejects with ReaderError where none can be started. */
    async acquire(): Promise<Thread> {
      for (let found = free.pop(); found; found = free.pop()) {
        if (found.alive) return found;
        all.delete(found);
      }
      broken = broken.filter((at) => at > nowMs() - MINUTE);
      if (broken.length >= STARTS_MAX) throw new ReaderError('reading threads break down again and again', null);
      const made = await startThread(spawn, path, (reason) => {
        broken.push(nowMs());
        log.error('reader.ended', { reason });
      });
      all.add(made);
      return made;
    },
    /** Gives a thread back, to be used again where it can go on. */
    release(thread: Thread, canGoOn: boolean): void {
      if (canGoOn) free.push(thread);
      else all.delete(thread);
    },
    /** Stops what they are asked. */
    stop(): void {
      for (const thread of all) thread.stop();
    },
    /** Ends them all. */
    end(): void {
      for (const thread of all) thread.end();
      all.clear();
    },
  };
}
