import type { Fetcher } from '#shared/contract/client.ts';

/** Maximum number of cached responses; the oldest go first. */
const MAX_RESPONSES = 60;
/** Never cached. */
const UNCACHED_PATHS = ['/api/user/session'];

export interface ResponseCache {
  readonly fetch: Fetcher;
  /** Serves cached responses from now on: the visitor goes back to an earlier page. */
  replay(): void;
  /** Back to the network. Out: whether a cached response was served, so that the page should be reloaded. */
  finishReplay(): boolean;
  /** Drops responses that were not used since the last sweep. */
  sweep(): void;
  clear(): void;
  size(): number;
}

/**
 * In-memory cache of API responses for back navigation: going back shows the cached page first, then refetches it. Any
 * command clears the cache. In: the fetcher, and whether caching is on.
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
        // Also after a failure: it is unknown how far the command got.
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
