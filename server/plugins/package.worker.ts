import { contentOf, type ReadOutcome } from './package.ts';

/** A thread that reads one package and ends: what a package does to a parser ends with it (package-reader.ts). */
declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<{ bytes: Uint8Array<ArrayBuffer> }>) => void): void;
  postMessage(message: { readonly outcome: ReadOutcome }): void;
};

self.addEventListener('message', ({ data: { bytes } }) => self.postMessage({ outcome: contentOf(bytes) }));
