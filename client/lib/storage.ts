/** Local storage that never throws. Where it is forbidden or full, values are simply not kept. */
export interface SafeStorage {
  getItem(key: string): string | null;
  /** Whether it was stored. */
  setItem(key: string, value: string): boolean;
  removeItem(key: string): void;
  clear(): void;
}

/**
 * Wraps a storage so that it never throws. In: returns the storage; may itself throw, as `window.localStorage` does
 * where it is forbidden.
 */
export function safeStorage(open: () => Storage): SafeStorage {
  const attempt = <T>(work: (storage: Storage) => T, otherwise: T): T => {
    try {
      return work(open());
    } catch {
      return otherwise;
    }
  };
  return {
    getItem: (key) => attempt((storage) => storage.getItem(key), null),
    setItem: (key, value) =>
      attempt((storage) => {
        storage.setItem(key, value);
        return true;
      }, false),
    removeItem: (key) => attempt((storage) => storage.removeItem(key), undefined),
    clear: () => attempt((storage) => storage.clear(), undefined),
  };
}

/** The local storage of this browser. */
export const storage: SafeStorage = safeStorage(() => localStorage);

/** The storage of this tab alone. */
export const tabStorage = safeStorage(() => sessionStorage);
/** Where what was typed on a page waits there while its user confirms who they are. */
export const TYPED_KEY = 'typed';
