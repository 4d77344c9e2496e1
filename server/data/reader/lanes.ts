import type { LongRead } from '#server/modules/tx.ts';
import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';

/** Who takes a place: a long question, or the copy of the log, of which there is one at a time. */
interface Entry {
  readonly for: LongRead['for'] | 'checkpoint';
  readonly signal?: AbortSignal | undefined;
}

/** Long questions that are answered at once. */
export const READERS = 2;
/** Questions in the queue at most, of visitors and of jobs each: one more is refused. */
const WAITING_MAX = 64;
const LIMITS: Readonly<Record<LongRead['for'], number>> = { visitor: MINUTE, job: 15 * MINUTE };

/**
 * How long a long question may take (ms): a minute for somebody who waits, a quarter of an hour for a job, unless it
 * says so itself.
 */
export function limitOf(options: LongRead): number {
  return options.limitMs ?? LIMITS[options.for];
}

interface Waiting {
  readonly of: Entry['for'];
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Lets so many in at once. Visitors come before jobs, and one place is never a job's, so that nobody waits for the
 * night's work. The copy of the log comes before all: it is short, and where it waited for a job of minutes the log
 * would grow for so long. `enter` resolves with the way out; it rejects with SERVER_UNAVAILABLE where too many wait or
 * all is closed, with the signal's reason where the caller left.
 */
export function createLanes(places: number): { enter(entry: Entry): Promise<() => void>; close(): void } {
  const waiting = new Set<Waiting>();
  const inside = { checkpoint: 0, visitor: 0, job: 0 };
  let closed = false;

  const hasFreePlace = (of: Entry['for']): boolean =>
    inside.checkpoint + inside.visitor + inside.job < places && (of !== 'job' || inside.job < Math.max(1, places - 1));
  function next(): void {
    for (const of of ['checkpoint', 'visitor', 'job'] as const) {
      for (const one of waiting) {
        if (!hasFreePlace(of)) break;
        if (one.of !== of) continue;
        waiting.delete(one);
        one.start();
      }
    }
  }
  function wayOut(of: Entry['for']): () => void {
    inside[of] += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      inside[of] -= 1;
      next();
    };
  }
  return {
    enter({ for: of, signal }) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.reject(new DomainError('SERVER_UNAVAILABLE'));
      if (hasFreePlace(of)) return Promise.resolve(wayOut(of));
      if ([...waiting].filter((one) => one.of === of).length >= WAITING_MAX)
        return Promise.reject(new DomainError('SERVER_UNAVAILABLE'));
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          of,
          start: () => (signal?.removeEventListener('abort', leave), resolve(wayOut(of))),
          refuse: reject,
        };
        function leave(): void {
          waiting.delete(one);
          reject(signal?.reason);
        }
        signal?.addEventListener('abort', leave, { once: true });
        waiting.add(one);
      });
    },
    close() {
      closed = true;
      for (const { refuse } of waiting) refuse(new DomainError('SERVER_UNAVAILABLE'));
      waiting.clear();
    },
  };
}
