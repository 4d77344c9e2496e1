import { storage } from '#client/lib/storage.ts';

/** Local storage key of the recently used entries' ids. */
export const RECENT_KEY = 'palette_recent';
/** Maximum ids kept: more than are shown, because some may not exist on a page. */
const MAX_STORED = 12;

/** Recently used ids, latest first; unreadable values count as none. */
export function readRecent(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(storage.getItem(RECENT_KEY) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string').slice(0, MAX_STORED) : [];
  } catch {
    return [];
  }
}

/** Adds an entry to the recently used ones. */
export function addRecent(id: string): void {
  storage.setItem(RECENT_KEY, JSON.stringify([id, ...readRecent().filter((each) => each !== id)].slice(0, MAX_STORED)));
}
