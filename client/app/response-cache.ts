import type { Fetcher } from '#shared/contract/client.ts';

/** Answers kept at most; the oldest go first. */
const MAX_RESPONSES = 60;
/** Asked for anew every time, whatever else is kept. */
const UNCACHED_PATHS = ['/api/user/session'];

export interface ResponseCache {
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
export function createResponseCache(send: Fetcher, enabled: () => boolean): ResponseCache {
  const kept = new Map<string, { readonly response: Response; used: boolean }>();
  let replaying = false;
  let replayed = false;
  return {
    fetch: async (path, init) => {
      const reads = (init.method ?? 'GET') === 'GET';
      const old = reads && replaying && enabled() ? kept.get(path) : undefined;
      if (old) {
        old.used = true;
        replayed = true;
        return old.response.clone();
      }
      try {
        const response = await send(path, init);
        if (reads && response.ok && enabled() && !UNCACHED_PATHS.includes(path)) {
          kept.delete(path);
          kept.set(path, { response: response.clone(), used: true });
          for (const oldest of kept.keys()) if (kept.size > MAX_RESPONSES) kept.delete(oldest);
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
        if (entry.used && enabled()) entry.used = false;
        else kept.delete(path);
      }
    },
    clear: () => kept.clear(),
    size: () => kept.size,
  };
}
