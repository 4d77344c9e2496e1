import { useContext, useEffect, useRef, useState } from 'react';
import { ActingAsContext } from '#client/lib/acting-as.ts';
import { ACTING_AS_HEADER } from '#shared/constants.ts';
import type { OwnImage } from '#shared/contract/images.ts';
import { IMAGE_MAX_BYTES } from '#shared/images.ts';
import { PICTURE_UPLOAD_TYPE } from '#shared/pictures.ts';

/** Files that are sent at the same time: the server draws two at a time. */
const AT_ONCE = 2;

/** A file on its way. */
export interface Upload {
  /** The same however often it is sent: it is one image, and is paid for once. */
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  /** `lost`: no answer came; `refused`: with a code. */
  readonly state: 'waiting' | 'sending' | 'done' | 'lost' | 'refused';
  readonly code: string;
  readonly image: OwnImage | null;
}
interface Task {
  readonly file: File;
  request: XMLHttpRequest | null;
}

/**
 * Sends files one after the other, with how far each is. In: the price that is shown, and what to do after each that
 * became an image.
 */
export function useUploads(price: number, onDone: () => void) {
  const actingAs = useContext(ActingAsContext);
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const tasks = useRef(new Map<string, Task>());
  const change = (id: string, changes: Partial<Upload>): void =>
    setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...changes } : each)));

  function send({ id, name }: Upload): void {
    const task = tasks.current.get(id);
    if (!task || task.request) return;
    change(id, { state: 'sending', sent: 0, code: '' });
    const request = new XMLHttpRequest();
    task.request = request;
    const query = new URLSearchParams({ upload: id, name: name.slice(0, 1000), price: String(price) });
    request.open('POST', `/api/images?${query.toString()}`);
    request.setRequestHeader('Content-Type', PICTURE_UPLOAD_TYPE);
    if (actingAs !== null) request.setRequestHeader(ACTING_AS_HEADER, actingAs);
    request.upload.addEventListener('progress', ({ loaded }) => change(id, { sent: loaded }));
    request.addEventListener('error', () => end(id, { state: 'lost' }));
    request.addEventListener('load', () => {
      const answer = parse(request.responseText);
      if (answer?.success && answer.image) {
        end(id, { state: 'done', image: answer.image });
        onDone();
      } else end(id, answer?.error_code ? { state: 'refused', code: answer.error_code } : { state: 'lost' });
    });
    request.send(task.file);
  }
  function end(id: string, changes: Partial<Upload>): void {
    const task = tasks.current.get(id);
    if (task) task.request = null;
    change(id, changes);
  }

  // The next ones begin as soon as there is room: what is sent lives outside React.
  useEffect(() => {
    const room = AT_ONCE - uploads.filter(({ state }) => state === 'sending').length;
    for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, room))) send(upload);
  });

  return {
    uploads,
    add(files: Iterable<File>): void {
      const added = Array.from(files, (file): Upload => {
        const id = crypto.randomUUID();
        tasks.current.set(id, { file, request: null });
        const isLarge = file.size > IMAGE_MAX_BYTES;
        return {
          id,
          name: file.name,
          size: file.size,
          sent: 0,
          state: isLarge ? 'refused' : 'waiting',
          code: isLarge ? 'PAYLOAD_TOO_LARGE' : '',
          image: null,
        };
      });
      setUploads((all) => [...added, ...all]);
    },
    retry: (id: string): void => change(id, { state: 'waiting' }),
    /** Takes it from the list; what is being sent is given up. */
    remove(id: string): void {
      tasks.current.get(id)?.request?.abort();
      tasks.current.delete(id);
      setUploads((all) => all.filter((each) => each.id !== id));
    },
  };
}
export type Uploads = ReturnType<typeof useUploads>;

function parse(text: string): { success?: boolean; error_code?: string; image?: OwnImage } | null {
  try {
    return JSON.parse(text) as ReturnType<typeof parse>;
  } catch {
    return null;
  }
}
