import { damaged } from './fault.ts';

/** Bytes of a block: headers are one, contents are filled up to whole ones (POSIX ustar). */
const BLOCK = 512;
const NAME_MAX = 100;
/** Places in a header: name, size, checksum, type, magic. */
const SIZE_AT = 124;
const SUM_AT = 148;
const TYPE_AT = 156;
const MAGIC_AT = 257;

/** A file of an archive, whole in memory: whoever writes keeps each one small. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file as blocks of a tar archive that every `tar` reads. Throws RangeError for a name of more than 100 bytes. */
export function tarEntry({ name, bytes }: TarEntry): Buffer {
  const path = Buffer.from(name, 'utf8');
  if (path.length > NAME_MAX) throw new RangeError(`the name ${name} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  path.copy(header);
  header.write('0000600\u00000000000\u00000000000\0', 100, 'latin1');
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, SIZE_AT, 'latin1');
  header.write(`${'0'.repeat(11)}\0`, 136, 'latin1');
  header.write('0', TYPE_AT, 'latin1');
  header.write('ustar\u000000', MAGIC_AT, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, SUM_AT, 'latin1');
  return Buffer.concat([header, bytes, Buffer.alloc(padding(bytes.length))]);
}

/** What stands at the end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/**
 * Reads an archive as it arrives. In: its bytes, and the most bytes that one file may have. Out: its files in order.
 * Throws BackupFault `damaged` where it is cut off, is no archive, or holds anything but files of such a size.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<TarEntry> {
  const { take, drain } = taker(source);
  for (;;) {
    const header = await take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = readHeader(header, maxBytes);
    const whole = await take(size + padding(size));
    yield { name, bytes: whole.subarray(0, size) };
  }
  await take(BLOCK);
  // What is behind the end is read as well: only then the last block is proven to be whole.
  await drain();
}

function readHeader(header: Buffer, maxBytes: number): { name: string; size: number } {
  if (header.toString('latin1', MAGIC_AT, MAGIC_AT + 5) !== 'ustar') throw damaged('it holds no archive');
  const stated = parseInt(header.toString('latin1', SUM_AT, SUM_AT + 6), 8);
  if (stated !== sumOf(header)) throw damaged('a header of the archive is wrong');
  const size = parseInt(header.toString('latin1', SIZE_AT, SIZE_AT + 11), 8);
  const name = header.toString('utf8', 0, Math.max(0, header.indexOf(0)) || NAME_MAX);
  if (header.toString('latin1', TYPE_AT, TYPE_AT + 1) !== '0') throw damaged(`${name.slice(0, 60)} is no plain file`);
  if (!Number.isSafeInteger(size) || size < 0 || size > maxBytes) throw damaged(`${name.slice(0, 60)} is too large`);
  return { name, size };
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

/** Sum of a header's bytes, its own place counted as spaces. */
function sumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of header.entries()) if (at < SUM_AT || at >= SUM_AT + 8) sum += byte;
  return sum;
}

/** What takes bytes off a stream. */
function taker(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    /** So many bytes. Throws BackupFault where there are fewer. */
    async take(bytes: number): Promise<Buffer> {
      const parts: Uint8Array[] = [rest];
      let held = rest.length;
      while (held < bytes) {
        const next = await iterator.next();
        if (next.done === true) throw damaged('it is cut off');
        parts.push(next.value);
        held += next.value.length;
      }
      const whole = Buffer.concat(parts);
      rest = whole.subarray(bytes);
      return whole.subarray(0, bytes);
    },
    /** Everything that is left, which is thrown away. */
    async drain(): Promise<void> {
      while ((await iterator.next()).done !== true);
    },
  };
}
