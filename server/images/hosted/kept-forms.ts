import type { ImageStore } from '#server/modules/images/index.ts';
import { IMAGE_FORMS } from '#shared/images.ts';

/** Bytes of forms that are kept in memory, of all stores together. */
const KEPT_MAX = 64 << 20;

/**
 * Keeps in memory what many ask for, so that neither the disk nor a storage elsewhere is asked each time; what nobody
 * has asked for longest goes first. In: a store, and up to how many bytes its forms are kept. Out: the store, but for
 * that. Keys are never used again: what is kept is never out of date.
 */
export function createKeptForms(max = KEPT_MAX): (store: ImageStore, largest: number) => ImageStore {
  const kept = new Map<string, Blob>();
  let size = 0;

  function drop(name: string): void {
    size -= kept.get(name)?.size ?? 0;
    kept.delete(name);
  }
  function keep(name: string, blob: Blob): void {
    drop(name);
    kept.set(name, blob);
    size += blob.size;
    for (const oldest of kept.keys()) {
      if (size <= max) break;
      drop(oldest);
    }
  }

  return (store, largest) => ({
    write: (key, forms) => store.write(key, forms),
    async open(key, form) {
      const name = `${key}.${form}`;
      const found = kept.get(name);
      if (found) {
        // It is now the one that was asked for last.
        kept.delete(name);
        kept.set(name, found);
        return found;
      }
      const blob = await store.open(key, form);
      if (!blob || blob.size > Math.min(largest, max)) return blob;
      const whole = new Blob([await blob.arrayBuffer()]);
      keep(name, whole);
      return whole;
    },
    async remove(key) {
      await store.remove(key);
      for (const form of IMAGE_FORMS) drop(`${key}.${form}`);
    },
  });
}
