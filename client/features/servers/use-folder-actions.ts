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
  const askName = async (title: string): Promise<string | null> => {
    const given = await dialogs.prompt({ title, label: t('files.name'), required: true, maxLength: FILE_NAME_BYTES });
    if (given === null) return null;
    const name = given.trim();
    setProblem(isNewFileName(name) ? null : t('files.badName'));
    return isNewFileName(name) ? inFolder(path, name) : null;
  };
  return {
    problem,
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
