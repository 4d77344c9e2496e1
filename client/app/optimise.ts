import type { DataRouter } from 'react-router';
import { pagePerformance } from '#client/lib/page-performance.ts';
import type { RouteId } from '#shared/routes/table.ts';
import type { ResponseCache } from './response-cache.ts';
import { prefetchOnIntent } from './prefetch.ts';

/** Unused memory is given back this often (specification, section 9). */
export const CLEANUP_INTERVAL_MS = 30_000;

interface OptimisationDeps {
  readonly router: Pick<DataRouter, 'subscribe' | 'revalidate'>;
  readonly answers: ResponseCache;
  /** Loads a screen before it is asked for. */
  readonly prefetch: (id: RouteId) => void;
}

/**
 * Starts what makes pages quicker, each as far as the visitor's settings want it: loading on intent, the quick return,
 * the clean-up of memory. A failure costs speed and nothing else: it is logged as a warning (specification, section
 * 8).
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
