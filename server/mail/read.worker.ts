import { readMail } from './read-mail.ts';

/** A thread that reads one mail and ends: what a mail does to a parser ends with it (mail-reader.ts). */
declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<{ raw: Uint8Array<ArrayBuffer> }>) => void): void;
  postMessage(message: unknown): void;
};

self.addEventListener('message', ({ data: { raw } }) => {
  readMail(raw).then(
    (mail) => self.postMessage({ mail }),
    () => self.postMessage({ mail: null }),
  );
});
