import type { ImageStore } from '#server/modules/images/index.ts';
import { IMAGE_FORMS } from '#shared/images.ts';

/** What is needed of a storage that speaks S3. Everything throws where it says no or nothing. */
interface Storage {
  send(
    name: string,
    source: { readonly bytes: number; read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> },
  ): Promise<void>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
}
/**
 * Images in a storage elsewhere, as `<prefix>images/<key>.<form>`. In: the storage that the settings name now, and what
 * its names begin with; null: none is named.
 */
export function createS3Store(place: () => { readonly storage: Storage; readonly prefix: string } | null): ImageStore {
  function get() {
    const found = place();
    if (!found) throw new Error('no storage of images is set');
    return { storage: found.storage, nameOf: (key: string, form: string) => `${found.prefix}images/${key}.${form}` };
  }
  return {
    async write(key, forms) {
      const { storage, nameOf } = get();
      for (const form of IMAGE_FORMS) {
        const bytes = forms[form];
        const read = (at: number, length: number) => Promise.resolve(bytes.slice(at, at + length));
        await storage.send(nameOf(key, form), { bytes: bytes.byteLength, read });
      }
    },
    async open(key, form) {
      const { storage, nameOf } = get();
      const chunks = await Array.fromAsync(storage.read(nameOf(key, form))).catch((error: { code?: unknown }) => {
        if (error.code === 'remote_missing') return null;
        throw error;
      });
      return chunks && new Blob(chunks.map((chunk) => new Uint8Array(chunk)));
    },
    async remove(key) {
      const { storage, nameOf } = get();
      for (const form of IMAGE_FORMS) await storage.remove(nameOf(key, form));
    },
  };
}
