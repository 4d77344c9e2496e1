import type { DrawnForm, PictureCodec } from '#server/modules/pictures/index.ts';
import type { FieldCode } from '#shared/errors.ts';
import type { DrawnKind } from '#shared/pictures.ts';
import { drawPicture } from './picture-draw.ts';

/** Starts a thread that draws pictures. Named by the main entry, because in the binary its file is found from there. */
export type SpawnDrawing = () => Worker;
/** How long a thread may take for a picture. */
const DRAW_MS = 20_000;

/**
 * Draws pictures on a thread of their own, one at a time, so that neither answers nor memory suffer from a large one. A
 * thread that fails or takes too long is given up, and the file counts as unreadable. Without `spawn` pictures are
 * drawn on this thread.
 */
export function createPictureCodec(spawn?: SpawnDrawing, limitMs = DRAW_MS): PictureCodec {
  if (!spawn) return { draw: drawPicture };
  let last: Promise<unknown> = Promise.resolve();
  return {
    draw(kind, file) {
      const drawn = last.then(() => drawOn(spawn(), { kind, file }, limitMs));
      last = drawn.catch(() => undefined);
      return drawn;
    },
  };
}

function drawOn(
  worker: Worker,
  job: { kind: DrawnKind; file: Uint8Array<ArrayBuffer> },
  limitMs: number,
): Promise<readonly DrawnForm[] | FieldCode> {
  return new Promise((resolve) => {
    const end = (result: readonly DrawnForm[] | FieldCode): void => {
      clearTimeout(late);
      worker.terminate();
      resolve(result);
    };
    const late = setTimeout(() => end('PICTURE_FORMAT'), limitMs);
    worker.addEventListener('message', ({ data }: MessageEvent<{ drawn: readonly DrawnForm[] | FieldCode }>) =>
      end(data.drawn),
    );
    worker.addEventListener('error', () => end('PICTURE_FORMAT'));
    worker.addEventListener('close', () => end('PICTURE_FORMAT'));
    worker.postMessage({ ...job });
  });
}
