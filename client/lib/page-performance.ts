import { storage } from './storage.ts';
import { STORAGE } from '#shared/constants.ts';
import type { UiSettings } from '#shared/ui-settings.ts';

/** The visitor's settings that the page needs before their store is loaded. */
export type PagePerformance = Pick<UiSettings['performance'], 'caching' | 'preloading' | 'frameRateLimit'>;

/** The defaults (specification, section 9). */
export const DEFAULT_PERFORMANCE: PagePerformance = { caching: true, preloading: true, frameRateLimit: 75 };

let current: PagePerformance | null = null;

/**
 * The settings in force. Their store is loaded when the page is idle; until then they are read from local storage. On
 * the server they have their defaults.
 */
export function pagePerformance(): PagePerformance {
  return (current ??= stored());
}

/** Sets the settings, from their store. */
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
