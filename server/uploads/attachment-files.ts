import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AttachmentFiles, AttachmentForm } from '#server/modules/tickets/index.ts';

/** Forms of a file, with the end of its name. */
const ENDS: Readonly<Record<AttachmentForm, string>> = { whole: '', preview: '.preview' };
/** The end of a name while the file is being written: what is read under its own name is whole. */
const PART = '.part';

/**
 * Files of messages in a folder of uploads, which is part of every backup. They are spread over folders by the end of
 * their id, because its beginning is a time.
 */
export function createAttachmentFiles(uploads: string): AttachmentFiles {
  const pathOf = (id: string, form: AttachmentForm) => join(uploads, 'tickets', id.slice(-2), `${id}${ENDS[form]}`);
  return {
    async write(id, form, bytes) {
      const path = pathOf(id, form);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(`${path}${PART}`, 'w', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}${PART}`, path);
    },
    async read(id, form) {
      try {
        return new Uint8Array(await readFile(pathOf(id, form)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async remove(id) {
      for (const form of ['whole', 'preview'] as const)
        for (const end of ['', PART]) await rm(`${pathOf(id, form)}${end}`, { force: true });
    },
  };
}
