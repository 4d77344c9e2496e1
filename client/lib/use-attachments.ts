import { useState } from 'react';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX } from '#shared/attachments.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { AttachmentView } from '#shared/contract/ticket-shapes.ts';
import type { Draft } from './draft.ts';
import { useErrorText } from './error-text.ts';
import { useT } from './i18n.tsx';

/** A file on its way to the server. */
interface PendingFile {
  readonly key: string;
  readonly file: File;
  /** How much of it has left, 0 to 1. */
  readonly share: number;
  /** Why it is not there, in words; '' while it is on its way. */
  readonly problem: string;
  /** Whether it may be tried once more as it is. */
  readonly isRetryable: boolean;
}

/** The files of a message that is being written. */
export interface AttachedFiles {
  readonly kept: readonly AttachmentView[];
  readonly pending: readonly PendingFile[];
  /** One of them is on its way. */
  readonly isBusy: boolean;
  /** How many more there may be. */
  readonly room: number;
  /** Address of a file that is kept. */
  readonly addressOf: (id: string) => string;
  readonly add: (files: readonly File[]) => void;
  readonly retry: (key: string) => void;
  /** In: the id of one that is kept, or the key of one on its way. */
  readonly remove: (idOrKey: string) => void;
}

/** Sends a file. */
type SendFile = (
  input: { query: { name: string }; body: Uint8Array<ArrayBuffer> },
  options: { onProgress: (share: number) => void },
) => Promise<AttachmentView>;

/**
 * Uploads files for a draft, each by itself, and adds them to it. In: the draft, what sends a file (null before the
 * page is ready), and where files are read.
 */
export function useAttachments(draft: Draft, send: SendFile | null, address: string): AttachedFiles {
  const t = useT('tickets');
  const text = useErrorText();
  const [pending, setPending] = useState<readonly PendingFile[]>([]);
  const change = (key: string, part: Partial<PendingFile>): void =>
    setPending((all) => all.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const drop = (key: string): void => setPending((all) => all.filter((each) => each.key !== key));
  const upload = async (key: string, file: File): Promise<void> => {
    if (send === null) return;
    try {
      const body = new Uint8Array(await file.arrayBuffer());
      const sent = await send({ query: { name: file.name }, body }, { onProgress: (share) => change(key, { share }) });
      drop(key);
      draft.addFile(sent);
    } catch (error) {
      const code = error instanceof ApiError ? (error.fields.file?.[0] ?? null) : null;
      const problem =
        code !== null ? text.field(code) : error instanceof ApiError ? text.code(error.code) : t('notUploaded');
      change(key, { problem, isRetryable: code === null });
    }
  };
  const room = ATTACHMENTS_MAX - draft.files.length - pending.length;
  return {
    kept: draft.files,
    pending,
    isBusy: pending.some(({ problem }) => problem === ''),
    room,
    addressOf: (id) => `${address}/${id}`,
    add(files) {
      const added = files.slice(0, Math.max(0, room)).map((file) => ({
        key: crypto.randomUUID(),
        file,
        share: 0,
        problem: file.size > ATTACHMENT_MAX_BYTES ? text.field('ATTACHMENT_TOO_LARGE') : '',
        isRetryable: false,
      }));
      setPending((all) => [...all, ...added]);
      for (const { key, file, problem } of added) if (problem === '') void upload(key, file);
    },
    retry(key) {
      const found = pending.find((each) => each.key === key);
      if (!found) return;
      change(key, { problem: '', share: 0 });
      void upload(key, found.file);
    },
    remove(idOrKey) {
      drop(idOrKey);
      draft.removeFile(idOrKey);
    },
  };
}
