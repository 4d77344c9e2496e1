import { useState } from 'react';
import { newUploadId, withRetries } from '#client/lib/part-upload.ts';
import { useApi } from '#client/lib/use-api.ts';
import { ApiError } from '#shared/contract/client.ts';
import { FILE_PART_BYTES } from '#shared/schemas/server-files.ts';
import { refusalOf } from './use-folder.ts';

export interface FileUpload {
  readonly upload: string;
  readonly file: File;
  /** Where it goes, below the server's folder. */
  readonly path: string;
  readonly sent: number;
  /** Why it broke off; null while it goes on. */
  readonly refused: string | null;
}
interface Deps {
  readonly id: string;
  /** Asks whether a file that is there is replaced. */
  readonly mayReplace: (name: string) => Promise<boolean>;
  readonly onDone: () => void;
}

/** Uploads into a server, one after the other, each in parts that are sent again where no answer came. */
export function useFileUploads({ id, mayReplace, onDone }: Deps) {
  const api = useApi();
  const [uploads, setUploads] = useState<readonly FileUpload[]>([]);
  const [cancelled] = useState(() => new Set<string>());
  const change = (upload: string, by: Partial<FileUpload>): void =>
    setUploads((all) => all.map((each) => (each.upload === upload ? { ...each, ...by } : each)));
  const forget = (upload: string): void => setUploads((all) => all.filter((each) => each.upload !== upload));

  async function sendFrom({ upload, file, path }: FileUpload, from: number, replace: boolean): Promise<void> {
    if (!api) return;
    for (let at = from; at === 0 || at < file.size;) {
      if (cancelled.has(upload)) return;
      const body = new Uint8Array(await file.slice(at, at + FILE_PART_BYTES).arrayBuffer());
      const query = {
        path,
        at: String(at),
        size: String(file.size),
        replace: replace ? ('true' as const) : ('false' as const),
      };
      const { received, done } = await withRetries(() =>
        api.serverFiles.upload({ params: { id, upload }, query, body }),
      );
      if (done) return;
      at = received;
      change(upload, { sent: at });
    }
  }
  async function send(each: FileUpload, from: number): Promise<void> {
    const { upload, file } = each;
    try {
      try {
        await sendFrom(each, from, false);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'FILE_EXISTS') throw error;
        if (await mayReplace(file.name)) await sendFrom(each, from, true);
      }
      forget(upload);
      onDone();
    } catch (error) {
      change(upload, { refused: refusalOf(error) });
    }
  }
  return {
    uploads,
    /** In: files, and where each goes. */
    async add(files: readonly { readonly file: File; readonly path: string }[]): Promise<void> {
      const added = files.map((each) => ({ ...each, upload: newUploadId(), sent: 0, refused: null }));
      setUploads((all) => [...all, ...added]);
      for (const each of added) if (!cancelled.has(each.upload)) await send(each, 0);
    },
    /** Goes on behind what has arrived. */
    async resume(each: FileUpload): Promise<void> {
      if (!api) return;
      const { upload } = each;
      change(upload, { refused: null });
      try {
        const { received } = await api.serverFiles.uploaded({ params: { id, upload } });
        await send(each, received);
      } catch (error) {
        change(upload, { refused: refusalOf(error) });
      }
    },
    async cancel({ upload }: FileUpload): Promise<void> {
      cancelled.add(upload);
      forget(upload);
      // What cannot be discarded now is forgotten in two days.
      await api?.serverFiles.discard({ params: { id, upload } }).catch(() => undefined);
    },
  };
}
