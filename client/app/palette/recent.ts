import { storage } from '#client/lib/storage.ts';

/** Under this name the ids of the entries used lately are kept in local storage. */
export const RECENT_KEY = 'palette_recent';
/** Most ids that are kept: more than are shown, because some may not be there on a page. */
const MAX_STORED = 12;

/** Ids used lately, the last one first; whatever else lies there counts as none. */
export function readRecent(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(storage.getItem(RECENT_KEY) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string').slice(0, MAX_STORED) : [];
  } catch {
    return [];
  }
}

/** Remembers that an entry was used. */
export function addRecent(id: string): void {
  storage.setItem(RECENT_KEY, JSON.stringify([id, ...readRecent().filter((each) => each !== id)].slice(0, MAX_STORED)));
}
