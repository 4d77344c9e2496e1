import { open, rm, stat } from 'node:fs/promises';

/** A file that is sent in parts, until it is whole. */
interface PartFile {
  /** Bytes that there are so far; 0: none. */
  received(): Promise<number>;
  /** Writes a part by its place, so that one that is sent twice is written once; at 0 the file begins anew. */
  write(at: number, bytes: Uint8Array): Promise<void>;
  /** Its first bytes as Latin-1, once everything is on the disk. */
  readBeginning(length: number): Promise<string>;
  remove(): Promise<void>;
}

/** In: the path of the file while it is not whole. */
export const partFile = (path: string): PartFile => ({
  async received() {
    const found = await stat(path).catch(() => null);
    return found?.size ?? 0;
  },
  async write(at, bytes) {
    const file = await open(path, at === 0 ? 'w' : 'r+', 0o600);
    try {
      for (let done = 0; done < bytes.byteLength;)
        done += (await file.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
    } finally {
      await file.close();
    }
  },
  async readBeginning(length) {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      await file.sync();
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await file.close();
    }
  },
  remove: () => rm(path, { force: true }),
});
