import { useState } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { dialogs } from '#client/ui/dialogs.ts';
import { FILE_NAME_BYTES, FILE_PATH_BYTES, FILE_UPLOAD_BYTES, isNewFileName } from '#shared/schemas/server-files.ts';
import { refusalOf } from './use-folder.ts';

/** The path of something in a folder; '' is the server's own. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

interface Deps {
  readonly id: string;
  readonly path: string;
  readonly reload: () => Promise<void>;
  readonly add: (files: readonly { readonly file: File; readonly path: string }[]) => Promise<void>;
}

/** What is done in a folder of a server: asked for, carried out, and what is wrong with it in words. */
export function useFolderActions({ id, path, reload, add }: Deps) {
  const t = useT('live');
  const errors = useErrorText();
  const api = useApi();
  const [problem, setProblem] = useState<string | null>(null);
  const [hasBegun, setBegun] = useState(false);
  const params = { id };
  /** Carries something out and shows the folder as it is then. */
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem(null);
    try {
      await work();
      await reload();
    } catch (error) {
      setProblem(errors.code(refusalOf(error)));
    }
  };
  /** Asks for the name of something new here. Out: its path; null: none was given, or none that may be. */
  const askPath = async (
    initial: string,
    words: { readonly title: string; readonly label: string; readonly text?: string },
  ): Promise<string | null> => {
    const given = await dialogs.prompt({ ...words, initial, required: true, maxLength: FILE_NAME_BYTES });
    if (given === null) return null;
    const name = given.trim();
    setProblem(isNewFileName(name) ? null : t('files.badName'));
    return isNewFileName(name) ? inFolder(path, name) : null;
  };
  const askName = (title: string) => askPath('', { title, label: t('files.name') });
  return {
    problem,
    /** Something was packed or unpacked from this page: how it ends is shown. */
    hasBegun,
    setProblem,
    askName,
    async createFolder(): Promise<void> {
      const at = await askName(t('files.newFolder'));
      if (at !== null) await run(async () => api?.serverFiles.createFolder({ params, body: { path: at } }));
    },
    async move({ name }: { readonly name: string }): Promise<void> {
      const from = inFolder(path, name);
      const given = await dialogs.prompt({
        title: t('files.moveTitle', { name }),
        text: t('files.moveText'),
        label: t('files.path'),
        initial: from,
        required: true,
        maxLength: FILE_PATH_BYTES,
      });
      const to = given?.trim().replace(/^\/+/, '') ?? from;
      if (to !== from) await run(async () => api?.serverFiles.move({ params, body: { from, to } }));
    },
    /** Packs a file or folder into an archive beside it. */
    async pack({ name }: { readonly name: string }): Promise<void> {
      const to = await askPath(`${name}.zip`, {
        title: t('files.packTitle', { name }),
        text: t('files.packText'),
        label: t('files.zipName'),
      });
      const paths = [inFolder(path, name)];
      if (to === null) return;
      setBegun(true);
      await run(async () => api?.serverFiles.pack({ params, body: { paths, to } }));
    },
    /** Unpacks an archive into a new folder beside it. */
    async unpack({ name }: { readonly name: string }): Promise<void> {
      const to = await askPath(name.replace(/\.[^.]*$/, ''), {
        title: t('files.unpackTitle', { name }),
        text: t('files.unpackText'),
        label: t('files.newFolder'),
      });
      const from = inFolder(path, name);
      if (to === null) return;
      setBegun(true);
      await run(async () => api?.serverFiles.unpack({ params, body: { path: from, to } }));
    },
    async remove({ name }: { readonly name: string }): Promise<void> {
      const sure = await dialogs.confirm({
        title: t('files.deleteTitle', { name }),
        text: t('files.deleteText'),
        ok: t('files.delete'),
        tone: 'danger',
      });
      if (sure) await run(async () => api?.serverFiles.remove({ params, body: { paths: [inFolder(path, name)] } }));
    },
    upload(files: readonly File[]): void {
      const bad = files.find(({ name, size }) => !isNewFileName(name) || size > FILE_UPLOAD_BYTES);
      setProblem(bad ? (isNewFileName(bad.name) ? t('files.tooLarge', { name: bad.name }) : t('files.badName')) : null);
      if (!bad) void add(files.map((file) => ({ file, path: inFolder(path, file.name) })));
    },
  };
}
