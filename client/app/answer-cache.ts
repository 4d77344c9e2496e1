import type { Fetcher } from '#shared/contract/client.ts';

/** Answers kept at most; the oldest go first. */
const KEPT = 60;
/** Asked for anew every time, whatever else is kept. */
const NEVER = ['/api/user/session'];

export interface AnswerCache {
  readonly fetch: Fetcher;
  /** From now on answers that are kept are given again: the visitor goes back to a page that was there before. */
  replay(): void;
  /** Back to the network. Says whether an answer was given again, and so whether the page should be asked for anew. */
  finishReplay(): boolean;
  /** Drops what nobody has asked for since the last sweep. */
  sweep(): void;
  clear(): void;
  size(): number;
}

/**
 * Answers of this page's life, for a quick return: going back shows what was there, and the network is asked after
 * that. Any command drops all of them. In: the way to the network, and whether the visitor wants a cache.
 */
export function createAnswerCache(send: Fetcher, wanted: () => boolean): AnswerCache {
  const kept = new Map<string, { readonly response: Response; used: boolean }>();
  let replaying = false;
  let replayed = false;
  return {
    fetch: async (path, init) => {
      const reads = (init.method ?? 'GET') === 'GET';
      const old = reads && replaying && wanted() ? kept.get(path) : undefined;
      if (old) {
        old.used = true;
        replayed = true;
        return old.response.clone();
      }
      try {
        const response = await send(path, init);
        if (reads && response.ok && wanted() && !NEVER.includes(path)) {
          kept.delete(path);
          kept.set(path, { response: response.clone(), used: true });
          for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
        }
        return response;
      } finally {
        // Also after a failure: nobody knows how far the command came.
        if (!reads) kept.clear();
      }
    },
    replay: () => {
      replaying = true;
    },
    finishReplay: () => {
      const again = replayed;
      replaying = false;
      replayed = false;
      return again;
    },
    sweep: () => {
      for (const [path, entry] of kept) {
        if (entry.used && wanted()) entry.used = false;
        else kept.delete(path);
      }
    },
    clear: () => kept.clear(),
    size: () => kept.size,
  };
}
