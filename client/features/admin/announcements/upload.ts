import { useState } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { ApiError } from '#shared/contract/client.ts';
import { PICTURE_MAX_BYTES } from '#shared/pictures.ts';

/** What an upload is doing: nothing, sending, or why the last one failed. */
export type UploadState = 'idle' | 'busy' | { readonly problem: string };

/** Uploads pictures of announcements. `onDone` gets the id of each, and its file. */
export function useUpload(onDone: (id: string, file: File) => void) {
  const api = useApi();
  const errorText = useErrorText();
  const [state, setState] = useState<UploadState>('idle');
  const upload = async (file: File): Promise<void> => {
    if (!api) return;
    if (file.size > PICTURE_MAX_BYTES) return setState({ problem: errorText.field('PICTURE_TOO_LARGE') });
    setState('busy');
    try {
      const body = new Uint8Array(await file.arrayBuffer());
      const { id } = await api.adminAnnouncements.addPicture({ body });
      onDone(id, file);
      setState('idle');
    } catch (error) {
      const { code, fields } = error instanceof ApiError ? error : { code: 'SERVER_UNAVAILABLE', fields: undefined };
      const fault = fields?.picture?.[0];
      setState({ problem: fault === undefined ? errorText.code(code) : errorText.field(fault) });
    }
  };
  return { state, upload };
}
