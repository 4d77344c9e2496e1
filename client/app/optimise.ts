import type { DataRouter } from 'react-router';
import { pagePerformance } from '#client/lib/page-performance.ts';
import type { Match } from '#shared/routes/match.ts';
import type { ResponseCache } from './response-cache.ts';
import { prefetchOnIntent } from './prefetch.ts';

/** How often memory is cleaned up (specification, section 9). */
export const CLEANUP_INTERVAL_MS = 30_000;

interface OptimisationDeps {
  readonly router: Pick<DataRouter, 'subscribe' | 'revalidate'>;
  readonly answers: ResponseCache;
  /** Prefetches a screen. */
  readonly prefetch: (page: Match) => void;
}

/**
 * Starts the optimisations that the visitor's settings allow: prefetching, the response cache, memory clean-up. A
 * failure only costs speed and is logged as a warning (specification, section 8).
 */
export function startOptimisation({ router, answers, prefetch }: OptimisationDeps): void {
  try {
    prefetchOnIntent(prefetch, () => pagePerformance().preloading);
    router.subscribe(({ navigation, revalidation }) => {
      if (navigation.state === 'idle' && revalidation === 'idle' && answers.finishReplay()) void router.revalidate();
    });
    setInterval(answers.sweep, CLEANUP_INTERVAL_MS);
  } catch (error) {
    // oxlint-disable-next-line no-console
    console.warn('performance optimisation not started', error);
  }
}
