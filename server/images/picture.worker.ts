import type { DrawnKind } from '#shared/pictures.ts';
import { drawPicture } from './picture-draw.ts';

/** A thread that draws one picture and ends: what a file does to a decoder ends with it (picture-thread.ts). */
declare const self: {
  addEventListener(
    type: 'message',
    listener: (event: MessageEvent<{ kind: DrawnKind; file: Uint8Array<ArrayBuffer> }>) => void,
  ): void;
  postMessage(message: unknown): void;
};

self.addEventListener('message', ({ data: { kind, file } }) => {
  void drawPicture(kind, file).then((drawn) => self.postMessage({ drawn }));
});
