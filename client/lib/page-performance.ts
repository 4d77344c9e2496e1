import { storage } from './storage.ts';
import { STORAGE } from '#shared/constants.ts';
import type { UiSettings } from '#shared/ui-settings.ts';

/** What the page itself asks of the visitor's settings. */
export type PagePerformance = Pick<UiSettings['performance'], 'caching' | 'preloading' | 'frameRateLimit'>;

/** The defaults (specification, section 9). */
export const DEFAULT_PERFORMANCE: PagePerformance = { caching: true, preloading: true, frameRateLimit: 75 };

let current: PagePerformance | null = null;

/**
 * The settings that count from the first request on. Their store is loaded when the page is idle, so that nobody waits
 * for it; until then this reads what local storage has of them. On the server everything has its default.
 */
export function pagePerformance(): PagePerformance {
  return (current ??= stored());
}

/** Takes what the store of the settings says now. */
export function setPagePerformance(next: PagePerformance): void {
  current = next;
}

function stored(): PagePerformance {
  try {
    const { performance: kept = {} } = JSON.parse(storage.getItem(STORAGE.ui) ?? '{}') as {
      performance?: Partial<PagePerformance>;
    };
    const { caching, preloading } = kept;
    return { ...DEFAULT_PERFORMANCE, caching: caching !== false, preloading: preloading !== false };
  } catch {
    return DEFAULT_PERFORMANCE;
  }
}
