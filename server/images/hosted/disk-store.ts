import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageStore } from '#server/modules/images/index.ts';
import { IMAGE_FORMS, type ImageForm } from '#shared/images.ts';

/**
 * Images in a folder of the data folder, with the other uploads, so that backups hold them: `images/<2>/<rest>.<form>`.
 * Parts are written elsewhere (`incoming`): whatever stands in the folder of uploads is whole.
 */
export function createDiskStore({ uploads, incoming }: { uploads: string; incoming: string }): ImageStore {
  const folderOf = (key: string) => join(uploads, 'images', key.slice(0, 2));
  const pathOf = (key: string, form: ImageForm) => join(folderOf(key), `${key.slice(2)}.${form.slice(0, 1)}`);
  return {
    async write(key, forms) {
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      await mkdir(folderOf(key), { recursive: true, mode: 0o700 });
      for (const form of IMAGE_FORMS) {
        const part = join(incoming, crypto.randomUUID());
        const file = await open(part, 'wx', 0o600);
        try {
          await file.writeFile(forms[form]);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(part, pathOf(key, form));
      }
      const folder = await open(folderOf(key), 'r');
      await folder.sync().finally(() => folder.close());
    },
    async open(key, form) {
      const file = Bun.file(pathOf(key, form));
      return (await file.exists()) ? file : null;
    },
    async remove(key) {
      for (const form of IMAGE_FORMS) await rm(pathOf(key, form), { force: true });
    },
  };
}
