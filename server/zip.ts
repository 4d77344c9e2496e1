import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

/** A file of an archive: `name` with `/` between folders. */
interface ZipFile {
  readonly name: string;
  readonly text: string;
}

const deflate = promisify(deflateRaw);
/** Signatures of a ZIP archive (APPNOTE 6.3): a file's header, its entry in the directory, the end of that. */
const FILE = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0, names in UTF-8, deflated. */
const VERSION = 20;
const UTF8 = 0x0800;
const DEFLATED = 8;

/**
 * An archive of texts, compressed away from the thread that answers. At most 65,535 files and 4 GiB in all, which the
 * format without its extension for large ones can say. `atMs`: the time that every file gets.
 */
export async function zipFiles(files: readonly ZipFile[], atMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const bytes = Buffer.from(text, 'utf8');
    const packed = await deflate(bytes);
    const path = Buffer.from(name, 'utf8');
    const facts = factsOf({ bytes, packed, path, atMs });
    const header = Buffer.concat([uint32(FILE), uint16(VERSION), facts, path]);
    directory.push(
      Buffer.concat([
        uint32(ENTRY),
        uint16(VERSION),
        uint16(VERSION),
        facts,
        // No comment, first disk, no attributes.
        Buffer.alloc(10),
        uint32(offset),
        path,
      ]),
    );
    parts.push(header, packed);
    offset += header.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.concat([
    uint32(END),
    Buffer.alloc(4),
    uint16(files.length),
    uint16(files.length),
    uint32(entries.length),
    uint32(offset),
    Buffer.alloc(2),
  ]);
  return new Uint8Array(Buffer.concat([...parts, entries, end]));
}

/** What a file's header and its entry in the directory say alike: flags, method, time, checksum, sizes, lengths. */
function factsOf(file: { bytes: Buffer; packed: Buffer; path: Buffer; atMs: number }): Buffer {
  const at = new Date(file.atMs);
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return Buffer.concat([
    uint16(UTF8),
    uint16(DEFLATED),
    uint16(time),
    uint16(date),
    uint32(crc32(file.bytes)),
    uint32(file.packed.length),
    uint32(file.bytes.length),
    uint16(file.path.length),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
