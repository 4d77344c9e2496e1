import { isSecretName, MASK, maskBody } from '#shared/mask.ts';

/** One of the browser's storage areas. */
export interface StorageArea {
  /** By name. */
  entries(): readonly (readonly [name: string, value: string])[];
  set(name: string, value: string): void;
  remove(name: string): void;
}
export const STORAGE_AREAS = ['local', 'session', 'cookies'] as const;
export type StorageAreaName = (typeof STORAGE_AREAS)[number];

const YEAR_S = 365 * 24 * 3600;

/** A storage area of this page. HttpOnly cookies are not visible. */
export function openStorageArea(name: StorageAreaName): StorageArea {
  if (name === 'cookies') return cookies;
  return storageArea(() => (name === 'local' ? localStorage : sessionStorage));
}

/** In: returns the storage; may throw where the browser forbids it. Then it reads as empty, and writing throws. */
function storageArea(open: () => Storage): StorageArea {
  // The browser notifies other tabs only; listeners in this one are called here.
  const change = (key: string, write: (storage: Storage) => void) => {
    const storage = open();
    const oldValue = storage.getItem(key);
    write(storage);
    dispatchEvent(
      new StorageEvent('storage', {
        key,
        oldValue,
        newValue: storage.getItem(key),
        storageArea: storage,
        url: location.href,
      }),
    );
  };
  return {
    entries: () => {
      try {
        const storage = open();
        return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
          .sort((a, b) => a.localeCompare(b))
          .map((name) => [name, storage.getItem(name) ?? '']);
      } catch {
        return [];
      }
    },
    set: (name, value) => change(name, (storage) => storage.setItem(name, value)),
    remove: (name) => change(name, (storage) => storage.removeItem(name)),
  };
}

const cookies: StorageArea = {
  entries: () =>
    document.cookie
      .split('; ')
      .filter((pair) => pair !== '')
      .map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  set: (name, value) => {
    document.cookie = `${name}=${value.replaceAll(/[;\s]/g, encodeURIComponent)}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
  },
  remove: (name) => {
    document.cookie = `${name}=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Lax`;
  },
};

/** Formats an entry's value: masked if its name, or a name inside it, is secret. */
export function formatEntry(name: string, value: string): string {
  return isSecretName(name) ? MASK : maskBody(value);
}
