import { crc32 } from 'node:zlib';

/** A file of an archive, read when its turn comes. */
interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** Null: it is gone, and its place is filled with nothing but zeros. */
  read(): Promise<Blob | null>;
}

/** Signatures of a ZIP archive (APPNOTE 6.3): a file's header, what follows it, its entry in the directory, the end. */
const FILE = 0x04034b50;
const FOLLOWS = 0x08074b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0; names in UTF-8, and the checksum behind the file; stored as it is. */
const VERSION = 20;
const FLAGS = 0x0808;
const STORED = 0;
const HEADER_BYTES = 30;
const FOLLOWS_BYTES = 16;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
/** 1 January 1980, midnight, where the format begins. */
const DOS_DAY = 0x21;

const nameBytes = (name: string): number => Buffer.byteLength(name, 'utf8');

/** How long the archive of some files is. */
export function storedZipBytes(files: readonly StoredFile[]): number {
  return files.reduce(
    (all, { name, bytes }) => all + HEADER_BYTES + FOLLOWS_BYTES + ENTRY_BYTES + 2 * nameBytes(name) + bytes,
    END_BYTES,
  );
}

/**
 * An archive of files that are compressed already, one in memory at a time. At most 65,535 files and 4 GiB in all,
 * which the format without its extension for large ones can say.
 */
export async function* storedZip(files: readonly StoredFile[]): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, read } of files) {
    // What is at hand at once (files that are gone, or that a storage kept) would be written without a pause.
    await new Promise((resolve) => setImmediate(resolve));
    const path = Buffer.from(name, 'utf8');
    const found = await read();
    const content = found?.size === bytes ? await found.bytes() : new Uint8Array(bytes);
    const checksum = crc32(content);
    yield Buffer.concat([fields([FILE, 4], [VERSION, 2], ...factsOf(0, 0, path)), path]);
    yield content;
    yield fields([FOLLOWS, 4], [checksum, 4], [bytes, 4], [bytes, 4]);
    const entry = fields([ENTRY, 4], [VERSION, 2], [VERSION, 2], ...factsOf(checksum, bytes, path));
    directory.push(Buffer.concat([entry, fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), path]));
    offset += HEADER_BYTES + path.length + bytes + FOLLOWS_BYTES;
  }
  const entries = Buffer.concat(directory);
  yield entries;
  const { length } = files;
  yield fields([END, 4], [0, 2], [0, 2], [length, 2], [length, 2], [entries.length, 4], [offset, 4], [0, 2]);
}

type Field = readonly [value: number, bytes: 2 | 4];
/** What a file's header and its entry in the directory say alike: flags, method, time, checksum, sizes, lengths. */
function factsOf(checksum: number, bytes: number, path: Buffer): Field[] {
  return [
    [FLAGS, 2],
    [STORED, 2],
    [0, 2],
    [DOS_DAY, 2],
    [checksum, 4],
    [bytes, 4],
    [bytes, 4],
    [path.length, 2],
    [0, 2],
  ];
}

function fields(...values: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(values.reduce((all, [, bytes]) => all + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) at = buffer.writeUIntLE(value >>> 0, at, bytes);
  return buffer;
}
