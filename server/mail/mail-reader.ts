import type { IncomingMail, MailReader } from '#server/modules/ticket-mail/ports.ts';

/** Starts a thread that reads a mail. Named by the main entry, because in the binary its file is found from there. */
export type SpawnMailReading = () => Worker;
/** How long a thread may take for a mail. */
const READ_MS = 15_000;

/**
 * Reads mails on a thread of their own, one at a time, so that neither answers nor memory suffer from a large or a bad
 * one. A thread that fails or takes too long is given up, and the mail counts as unreadable. Without `spawn` mails are
 * read on this thread. The parser is loaded where mails are read: every start waited 10 to 20 ms for it.
 */
export function createMailReader(spawn?: SpawnMailReading, limitMs = READ_MS): MailReader {
  if (!spawn)
    return {
      read: async (raw) => {
        const { readMail } = await import('./read-mail.ts');
        return readMail(raw).catch(() => null);
      },
    };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read(raw) {
      const read = last.then(() => readOn(spawn(), raw, limitMs));
      last = read;
      return read;
    },
  };
}

function readOn(worker: Worker, raw: Uint8Array<ArrayBuffer>, limitMs: number): Promise<IncomingMail | null> {
  return new Promise((resolve) => {
    const end = (mail: IncomingMail | null): void => {
      clearTimeout(late);
      worker.terminate();
      resolve(mail);
    };
    const late = setTimeout(() => end(null), limitMs);
    worker.addEventListener('message', ({ data }: MessageEvent<{ mail: IncomingMail | null }>) => end(data.mail));
    worker.addEventListener('error', () => end(null));
    worker.addEventListener('close', () => end(null));
    worker.postMessage({ raw });
  });
}
