import { useState } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { PICTURE_MAX_BYTES } from '#shared/pictures.ts';

/** What an upload is doing: nothing, sending, or why the last one failed. */
export type UploadState = 'idle' | 'busy' | { readonly problem: string };

/**
 * Has pictures stored, one at a time. In: how the server is asked, and what happens with what it answers. Both files
 * and pictures of the library are sent this way; what was wrong with either is said in words.
 */
export function useUpload<T>(onDone: (stored: T, name: string) => void) {
  const api = useApi();
  const errorText = useErrorText();
  const [state, setState] = useState<UploadState>('idle');
  /** In: how it is stored, and the name of what is stored. Out: whether it is. */
  const run = async (store: (api: Api) => Promise<T>, name: string): Promise<boolean> => {
    if (!api) return false;
    setState('busy');
    try {
      onDone(await store(api), name);
      setState('idle');
      return true;
    } catch (error) {
      const { code, fields } = error instanceof ApiError ? error : { code: 'SERVER_UNAVAILABLE', fields: undefined };
      const fault = fields?.picture?.[0];
      setState({ problem: fault === undefined ? errorText.code(code) : errorText.field(fault) });
      return false;
    }
  };
  /** In: a file, and how its bytes are stored. Out: whether they are. */
  const upload = async (
    file: File,
    store: (api: Api, body: Uint8Array<ArrayBuffer>) => Promise<T>,
  ): Promise<boolean> => {
    if (file.size <= PICTURE_MAX_BYTES)
      return run(async (by) => store(by, new Uint8Array(await file.arrayBuffer())), file.name);
    setState({ problem: errorText.field('PICTURE_TOO_LARGE') });
    return false;
  };
  return { state, run, upload };
}
