import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { BackupFault, damaged } from './fault.ts';

/** What goes through memory at once. */
const CHUNK = 1 << 20;
/** What is brought to the disk at once. */
const FLUSHED = 16 << 20;
/** Unpacked bytes that any file may have, and how many times its size a larger one may. */
const SMALL = 1 << 30;
const RATIO = 200;

/** Who can open a backup: public keys of age (`age1…`), or a passphrase, which the format takes alone only. */
export type Lock = { readonly recipients: readonly string[] } | { readonly passphrase: string };
/** What opens one: secret keys (`AGE-SECRET-KEY-1…`) and passphrases; each is tried. */
export interface Keys {
  readonly identities: readonly string[];
  readonly passphrases: readonly string[];
}

/**
 * Writes bytes into a new file: compressed (zstd), then encrypted (age), streamed. In: path, which must not exist yet;
 * the bytes, in blocks of some size, as each is compressed by itself; who can open it. Out: the bytes written.
 */
export async function sealFile(path: string, source: AsyncIterable<Uint8Array>, lock: Lock): Promise<number> {
  const encrypter = new Encrypter();
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase);
  else for (const recipient of lock.recipients) encrypter.addRecipient(recipient);
  const sealed = await encrypter.encrypt(toWeb(Readable.from(compressed(source), { objectMode: false })));
  return writeFlushed(path, collected(sealed));
}

/**
 * Writes a new file and flushes it, piece by piece: whoever flushes something small beside it, as a player's change,
 * waits for one piece and not for the file. Out: the bytes written.
 */
async function writeFlushed(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let [bytes, flushed] = [0, 0];
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
      if (bytes - flushed < FLUSHED) continue;
      await file.datasync();
      flushed = bytes;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** Each block as a frame of zstd; frames in a row are one file of zstd. One is compressed while the next is made. */
async function* compressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let before: Promise<Uint8Array> | null = null;
  for await (const block of source) {
    const frame = Bun.zstdCompress(block, { level: 1 });
    if (before) yield await before;
    before = frame;
  }
  if (before) yield await before;
}

/**
 * Reads what `sealFile` wrote. Throws BackupFault: `wrong_key`, `damaged` (changed or cut off), `too_large` where it
 * holds far more than a backup of its size would.
 */
export async function* openFile(path: string, keys: Keys, size: number): AsyncGenerator<Uint8Array> {
  const opened = await decrypt(path, keys);
  const unpacker = createZstdDecompress({ chunkSize: CHUNK });
  const unpacking = pipeline(Readable.from(collected(opened), { objectMode: false }), unpacker);
  unpacking.catch((error: unknown) => unpacker.destroy(error instanceof Error ? error : new Error(String(error))));
  const most = Math.max(SMALL, size * RATIO);
  let bytes = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most)
        throw new BackupFault('too_large', 'The file holds far more than a backup of its size. Nothing was changed.');
      yield chunk;
    }
    await unpacking;
  } catch (error) {
    if (error instanceof BackupFault || (error instanceof Error && 'syscall' in error)) throw error;
    throw damaged('its content was changed or is cut off');
  } finally {
    unpacker.destroy();
  }
}

async function decrypt(path: string, { identities, passphrases }: Keys): Promise<ReadableStream<Uint8Array>> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(toWeb(createReadStream(path, { highWaterMark: CHUNK })));
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    if (error instanceof Error && /no identity matched|passphrase/i.test(error.message))
      throw new BackupFault('wrong_key', 'The backup does not open with this key or passphrase. Nothing was changed.');
    throw damaged('it does not begin as one');
  }
}

/** Whether a text is a public key of age, for which a backup can be made. */
export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** A public key of a secret one. Throws where the text is none. */
export const recipientOf = (identity: string): Promise<string> => identityToRecipient(identity);

/** Node's streams as those of the web; the types of the two differ in what nobody uses. */
const toWeb = (stream: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;

/** Small pieces of a stream (the cipher gives 64 KiB) as larger ones. */
async function* collected(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const part of stream) {
    parts.push(part);
    held += part.length;
    if (held < CHUNK) continue;
    yield Buffer.concat(parts);
    parts = [];
    held = 0;
  }
  if (held > 0) yield Buffer.concat(parts);
}
